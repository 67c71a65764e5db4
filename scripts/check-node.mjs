// Plain JavaScript for any Node: it runs before we know which one there is.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`Canvass needs Node 24.9 or newer, and "node" is ${process.version} (${process.execPath}).
On Linux (x64, arm64) "npm ci" brings one along, unless it was told --omit=optional; elsewhere install Node 24: https://nodejs.org`)
  process.exit(1)
}
