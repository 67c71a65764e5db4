import { Thread } from './thread.ts'

/** Turns drawings into pictures for programs that take no SVG. */
export interface Pictures {
  /**
   * An SVG file as a PNG file.
   * @throws {ThreadError} when too many are waiting, or the drawing cannot be drawn or takes too long
   */
  png(svg: string): Promise<Buffer>
  close(): Promise<void>
}

/**
 * One thread: a picture takes 0.1 to 3 s of a whole processor, and requests need one, too. The last of a full line waits
 * for a few seconds as a rule; a picture that takes 20 s never ends. Without work for a minute the thread's memory (some
 * 100 MB) is worth more than its half second of preparation.
 */
export function createPictures(): Pictures {
  const thread = new Thread<string, Uint8Array>(new URL('./picture-thread.ts', import.meta.url), {
    line: 20,
    patience: 20_000,
    idle: 60_000,
  })
  return {
    png: async (svg) => Buffer.from(await thread.run(svg)),
    close: () => thread.close(),
  }
}
