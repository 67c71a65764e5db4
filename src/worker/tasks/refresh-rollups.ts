import * as seal from '../../domain/rollup/refresh.ts'
import type { Task } from '../task.ts'

export const sealChunks: Task<'seal-chunks'> = async (context, _payload, signal) => {
  await seal.sealChunks(context, signal)
}
