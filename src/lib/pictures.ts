import { createSandbox, type SandboxOptions } from './sandbox.ts'

/** Converts SVG images to PNG for programs that do not accept SVG. */
export interface Pictures {
  /**
   * Returns an SVG file as a PNG file.
   * @throws {SandboxError}; any error of the renderer
   */
  png(svg: string): Promise<Buffer>
  close(): Promise<void>
}

/** The defaults. There is one process, because an image takes 0.1 to 3 s of CPU time that requests also need. */
const DEFAULTS: SandboxOptions = {
  tasks: new URL('./render-png.ts', import.meta.url),
  args: [],
  processes: 1,
  maxWaiting: 20,
  timeoutMs: 20_000,
  maxHeapMegabytes: 256,
}

/** Creates the renderer. Its process starts with the first image. */
export function createPictures(options: Partial<SandboxOptions> = {}): Pictures {
  const sandbox = createSandbox({ ...DEFAULTS, ...options })
  return {
    png: async (svg) => Buffer.from((await sandbox.run('renderPng', svg)) as Uint8Array),
    close: sandbox.close,
  }
}
