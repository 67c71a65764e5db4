// Answers a request with a part of a reply, and exits.
import { listen } from '../../src/command/listen.ts'
import { createLog } from '../../src/lib/log.ts'
import { freePort } from './process.ts'

const port = await freePort()
await listen({ port, host: '127.0.0.1', setting: 'PORT', log: createLog('silent') }, (_, reply) => {
  reply.write('a part', () => process.exit(1))
})
console.log(`port ${port}`)
