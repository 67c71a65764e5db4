import type { Readable } from 'node:stream'

/** Milliseconds that the beginning of a body is waited for: who answered has answered, whatever follows. */
const TIMEOUT_MS = 500

/**
 * The beginning of a body, as text on one line: what arrives soon, and never an error. The rest is let go.
 * @param most characters; some bytes more are read
 */
export async function excerptOf(body: Readable, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => body.destroy(), TIMEOUT_MS)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most * 4) break
    }
  } catch {
    // Broken off half-way: what there is is shown.
  } finally {
    clearTimeout(timer)
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
  return Array.from(text.trim()).slice(0, most).join('')
}
