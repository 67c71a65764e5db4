import { recordBackup } from '../../domain/backup-run.ts'
import type { Task } from '../task.ts'

export const backUp: Task<'back-up'> = async (context, _payload, signal) => {
  const { backUpOnSchedule } = context.services
  // A worker without a backup schedule in its settings does nothing. The job was created by a worker that has or had a
  // schedule.
  if (!backUpOnSchedule) return
  const startedAt = context.now
  const began = performance.now()
  const ended = () => ({ ...context, now: new Date(startedAt.getTime() + performance.now() - began) })
  try {
    await backUpOnSchedule(signal)
  } catch (error) {
    await recordBackup(ended(), startedAt, (error as Error).message)
    throw error
  }
  await recordBackup(ended(), startedAt, null)
}
