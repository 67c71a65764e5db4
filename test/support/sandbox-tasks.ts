import { existsSync, rmSync } from 'node:fs'

const [what, file] = process.argv.slice(3)

/** The tasks of `createPictures` and of `createTaskSandbox`. */
export const renderPng = (): Uint8Array => Buffer.from(work())
export const xlsformTask = () => ({ errors: [{ field: 'file', code: 'damaged_workbook', message: work() }] })

function work(): string {
  switch (what) {
    case 'wait':
      while (!existsSync(file!)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      break
    case 'exit':
      if (existsSync(file!)) {
        rmSync(file!)
        process.exit(1)
      }
      break
    case 'fill memory':
      for (const kept = []; ; ) kept.push(Array(1000).fill(kept.length))
  }
  return 'done'
}
