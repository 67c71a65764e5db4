import { type Bytes, csvRecords, csvRows } from './csv.js'
import type { Client } from './v2/client/index.js'
import { V2Lists } from './v2/lists.gen.js'
import { type Options, V2Operations } from './v2/sdk.gen.js'
import type { CreateResponseData, ExportCsvData, ImportedResponses } from './v2/types.gen.js'

/** Version 2: every operation is a method. */
export class V2 extends V2Operations {
  /** The paged lists, item by item over all their pages. */
  readonly each: V2Lists

  constructor(client: Client) {
    super({ client })
    this.each = new V2Lists(this)
  }

  /** The export of the responses as it is sent, byte by byte. */
  async csvBytes(options: Options<ExportCsvData, true>): Promise<Bytes> {
    return (await this.exportCsv({ ...options, parseAs: 'stream' })) as unknown as Bytes
  }

  /** The rows of the export, the header first, as they arrive. Not for `tab_separated`. */
  async *csvRows(options: Options<ExportCsvData, true>): AsyncGenerator<string[]> {
    yield* csvRows(await this.csvBytes(options))
  }

  /** The lines of the export as objects, as they arrive. Not for `tab_separated`. */
  async *csvRecords(options: Options<ExportCsvData, true>): AsyncGenerator<Record<string, string>> {
    yield* csvRecords(await this.csvBytes(options))
  }

  /** Stores the rows of a CSV file, whose header names questions, as responses: all of them, or none. */
  async importResponses(
    options: Options<Omit<CreateResponseData, 'body'> & { body: string }, true>,
  ): Promise<ImportedResponses> {
    const { body, ...rest } = options
    const headers = { 'Content-Type': 'text/csv' }
    const sent = { ...rest, body, bodySerializer: null, headers, responseStyle: 'data' } as const
    const reply = await this.client.post<{ 200: ImportedResponses }, unknown, true, 'data'>({
      url: '/surveys/{survey_id}/responses/',
      ...sent,
    })
    return reply
  }
}
