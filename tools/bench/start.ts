import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { line } from './figures.ts'
import { startService } from './servers.ts'

/**
 * Measures the time until the service sends its first reply. The first start creates the database; the second start
 * uses it.
 */
export async function benchStart(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-bench-start-'))
  chmodSync(folder, 0o755)
  try {
    console.log('start: time until the first reply, with the embedded database')
    line('cold, on an empty folder', `${(await seconds(folder)).toFixed(1)} s`)
    line('warm', `${(await seconds(folder)).toFixed(1)} s`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function seconds(folder: string): Promise<number> {
  const start = performance.now()
  const service = await startService(undefined, folder)
  const elapsed = (performance.now() - start) / 1000
  await service.stop()
  return elapsed
}
