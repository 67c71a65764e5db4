import { type Bytes, csvRecords, csvRows } from './csv.js'
import type { Client } from './v3/client/index.js'
import { V3Lists } from './v3/lists.gen.js'
import { type Options, V3Operations } from './v3/sdk.gen.js'
import type { ExportCsvData } from './v3/types.gen.js'

/** Version 3: every operation is a method. */
export class V3 extends V3Operations {
  /** The paged lists, item by item over all their pages. */
  readonly each: V3Lists

  constructor(client: Client) {
    super({ client })
    this.each = new V3Lists(this)
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
}
