import type { Readable } from 'node:stream'

/** How long the beginning of a body is waited for: the response has arrived, whatever its body does. */
const TIMEOUT_MS = 500

/**
 * Returns the beginning of a body as text on one line: as much as arrives in time. Never fails; the rest is not read.
 * @param most characters; a few bytes more are read
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
    // The connection broke: the part that arrived is returned.
  } finally {
    clearTimeout(timer)
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
  return Array.from(text.trim()).slice(0, most).join('')
}
