import { SaxesParser, type SaxesTagNS } from 'saxes'
import { WorkbookError } from './workbook-error.ts'
import type { ZipArchive } from './zip.ts'

/**
 * Receives the elements of an XML file. Element names have no namespace prefix; attribute names keep theirs (`r:id`).
 */
export interface XmlHandler {
  open(name: string, attribute: (name: string) => string | undefined): void
  text?(text: string): void
  close?(name: string): void
}

/** Maximum depth of nested elements. A workbook has fewer than ten. */
const MAX_DEPTH = 50

/**
 * Parses an XML file of an archive while it is inflated. A file with a document type is rejected, so only the entities
 * of XML itself can occur.
 * @throws {WorkbookError}
 */
export async function parseXml(zip: ZipArchive, name: string, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: true })
  const fail = () => {
    throw new WorkbookError('damaged')
  }
  let depth = 0
  parser.on('error', fail)
  parser.on('doctype', fail)
  parser.on('opentag', (tag: SaxesTagNS) => {
    if (++depth > MAX_DEPTH) fail()
    handler.open(tag.local, (attribute) => tag.attributes[attribute]?.value)
  })
  parser.on('text', (text) => handler.text?.(text))
  parser.on('cdata', (text) => handler.text?.(text))
  parser.on('closetag', (tag) => {
    depth--
    handler.close?.(tag.local)
  })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of zip.read(name)) parser.write(decode(decoder, chunk))
  parser.write(decode(decoder)).close()
}

/** @throws {WorkbookError} for a text that is not UTF-8 */
function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw new WorkbookError('damaged')
  }
}
