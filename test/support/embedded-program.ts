import { startEmbedded } from '../../src/db/embedded/embedded.ts'

// Starts an embedded PostgreSQL in a separate process, which a test can kill: node embedded-program.ts <folder>
const database = await startEmbedded(process.argv[2] ?? '', { ephemeral: true })
console.log(database.pid)
process.stdin.on('end', () => void database.stop()).resume()
