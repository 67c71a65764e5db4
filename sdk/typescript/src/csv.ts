/** A stream of bytes. */
export type Bytes = ReadableStream<Uint8Array>

async function* textOf(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = bytes.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      yield decoder.decode(value, { stream: !done })
      if (done) return
    }
  } finally {
    // Closes the connection if the caller stops early.
    await reader.cancel()
  }
}

/**
 * Yields the rows of a CSV file (RFC 4180). The first row is the header. Keeps at most one chunk of the file in memory.
 * @throws the error of the connection if the file is truncated
 */
export async function* csvRows(bytes: Bytes, delimiter = ','): AsyncGenerator<string[]> {
  let row: string[] = []
  let cell = ''
  // After a quotation mark in a quoted cell, the next character shows whether the cell ends here or contains a
  // quotation mark.
  let state: 'plain' | 'quoted' | 'quote' = 'plain'
  for await (const text of textOf(bytes)) {
    for (const character of text) {
      if (state === 'quoted') {
        if (character === '"') state = 'quote'
        else cell += character
      } else if (character === '"') {
        if (state === 'quote') cell += '"'
        state = 'quoted'
      } else {
        state = 'plain'
        if (character === delimiter) {
          row.push(cell)
          cell = ''
        } else if (character === '\n') {
          row.push(cell)
          yield row
          row = []
          cell = ''
        } else if (character !== '\r') cell += character
      }
    }
  }
  if (cell !== '' || row.length > 0) yield [...row, cell]
}

/** Yields each row of a CSV file as an object whose members are the cells by column name. */
export async function* csvRecords(bytes: Bytes, delimiter = ','): AsyncGenerator<Record<string, string>> {
  const rows = csvRows(bytes, delimiter)
  try {
    const { value: header } = await rows.next()
    for await (const row of rows)
      yield Object.fromEntries((header ?? []).map((name: string, index: number) => [name, row[index] ?? '']))
  } finally {
    await rows.return(undefined)
  }
}
