import type { Contract, EncodingObject, SchemaObject } from '../src/api/engine/contract.ts'
import { formEncoding } from '../src/api/engine/form.ts'

interface Form {
  schema: SchemaObject
  encoding?: Readonly<Record<string, EncodingObject>>
}

type Operation = { requestBody?: { content?: Record<string, Form> } }

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']

/**
 * Adds `encoding` to the form media types of every request body. It declares how a form encodes members that are
 * objects or arrays. The engine reads forms by the same rules.
 */
export function addFormEncoding(document: Contract): void {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[])
  for (const { requestBody } of operations)
    for (const type of FORMS) {
      const form = requestBody?.content?.[type]
      const encoding = form && formEncoding(document, form.schema)
      if (encoding && Object.keys(encoding).length > 0) form.encoding = encoding
    }
}
