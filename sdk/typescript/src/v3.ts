import { type Bytes, csvRecords, csvRows } from './csv.js'
import type { Client } from './v3/client/index.js'
import { V3Lists } from './v3/lists.gen.js'
import { type Options, V3Operations } from './v3/sdk.gen.js'
import type { ExportCsvData } from './v3/types.gen.js'

/** Version 3 of the API. Every operation is a method. */
export class V3 extends V3Operations {
  /** Iterators over all pages of a list. */
  readonly paginate: V3Lists

  constructor(client: Client) {
    super({ client })
    this.paginate = new V3Lists(this)
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
}
