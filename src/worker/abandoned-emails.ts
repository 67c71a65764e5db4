import type { PublicContext } from '../domain/context.ts'
import { replaceAbandonedJobs } from '../domain/email/deliver.ts'
import type { Log } from '../lib/log.ts'

const INTERVAL_MS = 2_000

export interface AbandonedEmails {
  /** Stops searching, after the current search. */
  stop(): Promise<void>
}

/**
 * Requeues emails whose worker has stopped, every two seconds. The heartbeat of the job queue would detect a stopped
 * worker only after half a minute.
 */
export function requeueAbandonedEmails(context: () => PublicContext, log: Log): AbandonedEmails {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= requeue(context(), log).finally(() => {
      running = undefined
    })
  }, INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

async function requeue(context: PublicContext, log: Log): Promise<void> {
  try {
    const emails = await replaceAbandonedJobs(context)
    if (emails.length) log.warn({ emails }, 'requeued the emails of dead workers')
  } catch (error) {
    log.warn({ err: error }, 'the search for abandoned emails failed')
  }
}
