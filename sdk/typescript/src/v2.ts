import { type Bytes, csvRecords, csvRows } from './csv.js'
import type { Client } from './v2/client/index.js'
import { V2Lists } from './v2/lists.gen.js'
import { type Options, V2Operations } from './v2/sdk.gen.js'
import type { CreateResponseData, ExportCsvData, ImportedResponses } from './v2/types.gen.js'

/** Version 2 of the API. Every operation is a method. */
export class V2 extends V2Operations {
  /** Iterators over all pages of a list. */
  readonly paginate: V2Lists

  constructor(client: Client) {
    super({ client })
    this.paginate = new V2Lists(this)
  }

  /** Returns the CSV export as a stream of bytes. */
  async csvBytes(options: Options<ExportCsvData, true>): Promise<Bytes> {
    return (await this.exportCsv({ ...options, parseAs: 'stream' })) as unknown as Bytes
  }

  /** Yields the rows of the CSV export, the header first. Does not support `tab_separated`. */
  async *csvRows(options: Options<ExportCsvData, true>): AsyncGenerator<string[]> {
    yield* csvRows(await this.csvBytes(options))
  }

  /** Yields the rows of the CSV export as objects. Does not support `tab_separated`. */
  async *csvRecords(options: Options<ExportCsvData, true>): AsyncGenerator<Record<string, string>> {
    yield* csvRecords(await this.csvBytes(options))
  }

  /** Imports the rows of a CSV file as responses, all or none. The header contains question IDs. */
  async importResponses(
    options: Options<Omit<CreateResponseData, 'body'> & { body: string }, true>,
  ): Promise<ImportedResponses> {
    const { body, ...rest } = options
    const headers = { 'Content-Type': 'text/csv' }
    const requestOptions = { ...rest, body, bodySerializer: null, headers, responseStyle: 'data' } as const
    return this.client.post<{ 200: ImportedResponses }, unknown, true, 'data'>({
      url: '/surveys/{survey_id}/responses/',
      ...requestOptions,
    })
  }
}
