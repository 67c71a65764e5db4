// Node's own type stripper as the Jest transform: erasable syntax only, lines and columns stay, no source map needed.
const { createHash } = require('node:crypto')
const { stripTypeScriptTypes } = require('node:module')

module.exports = {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source, file) => createHash('sha1').update(process.version).update(file).update(source).digest('hex'),
}
