import type { Readable } from 'node:stream'

/** Maximum time in which the beginning of a body is read. */
const TIMEOUT_MS = 500

/**
 * Returns the beginning of a body as text on one line: the part that arrives in time. Does not throw, and does not read
 * the rest.
 * @param maxCharacters the maximum length of the result
 */
export async function excerptOf(body: Readable, maxCharacters: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => body.destroy(), TIMEOUT_MS)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxCharacters * 4) break
    }
  } catch {
    // If the connection breaks or the time is over, the part that arrived is returned.
  } finally {
    clearTimeout(timer)
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
  return Array.from(text.trim()).slice(0, maxCharacters).join('')
}

/** Shortens a text to a number of bytes in UTF-8, without cutting a character in two. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
