import type { Pool } from 'pg'
import type { Outgoing } from '../lib/outgoing.ts'
import type { Jobs } from './job.ts'
import type { Inbox } from './response/inbox.ts'

/** The fixed facts and parts of this installation; made once in main.ts, the same for every request. */
export interface Site {
  /** Absolute address without a trailing slash; every URL in an answer begins with it. */
  baseUrl: string
  /** Keys the HMACs of stored secrets; 32 bytes. */
  secretKey: Buffer
  /** Plain connections for the hot paths: batched inserts, COPY. Everything else goes through the entity manager. */
  pool: Pool
  /** Takes responses in, coalescing concurrent submissions into one statement. */
  inbox: Inbox
  /** Where work for later is handed in; commands do it by `enqueue` (job.ts). */
  jobs: Jobs
  /** Sends to servers that users name. */
  outgoing: Outgoing
}
