import { startEmbedded } from '../../src/db/embedded.ts'

// A program of its own that starts a cluster and can be killed without a goodbye: node embedded-program.ts <folder>
const database = await startEmbedded(process.argv[2] ?? '', { ephemeral: true })
console.log(database.pid)
process.stdin.on('end', () => void database.stop()).resume()
