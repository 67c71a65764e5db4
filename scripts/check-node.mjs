// Checks the version of Node.js. Plain JavaScript, so that old versions can run it.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`Canvass requires Node.js 24.9 or newer, but "node" is ${process.version} (${process.execPath}).
On Linux (x64, arm64), run "npm ci" without --omit=optional, which installs it. On other systems, install Node.js 24: https://nodejs.org`)
  process.exit(1)
}
