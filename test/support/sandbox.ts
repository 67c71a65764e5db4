import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from './temp-postgres.ts'

/** Options of a sandbox whose tasks wait until `open` is called. */
export async function waitingTasks() {
  const gate = join(temporaryFolder(), 'gate')
  return { ...tasksThat('wait', gate), open: () => writeFile(gate, '') }
}

/** Options of a sandbox of which the first task ends its process. */
export async function exitingTask() {
  const marker = join(temporaryFolder(), 'marker')
  await writeFile(marker, '')
  return tasksThat('exit', marker)
}

export const tasksThat = (...args: ['wait' | 'exit', string] | ['fill memory']) => ({
  tasks: new URL('./sandbox-tasks.ts', import.meta.url),
  args,
})
