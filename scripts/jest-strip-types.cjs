// A Jest transform that strips types with Node.js: only erasable syntax; lines and columns do not change, so no source map is needed.
const { createHash } = require('node:crypto')
const { stripTypeScriptTypes } = require('node:module')

module.exports = {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source, file) => createHash('sha1').update(process.version).update(file).update(source).digest('hex'),
}
