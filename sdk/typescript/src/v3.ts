import { type Bytes, csvRecords, csvRows } from './csv.js'
import { download } from './download.js'
import type { Options } from './options.js'
import { V3Api } from './v3/resources.gen.js'
import type { ExportCsvData } from './v3/types.gen.js'

/** Version 3 of the API. Every operation is a method. */
export class V3 extends V3Api {
  /**
   * Returns the CSV export as a stream of bytes. If the connection breaks, the download continues where it stopped,
   * provided that the file has not changed.
   */
  csvBytes(options: Options<ExportCsvData>): Promise<Bytes> {
    return download((headers) => this.exportCsv({ ...options, headers, parseAs: 'stream' }).withResponse(), options)
  }

  /** Yields the rows of the CSV export. The first row is the header. Does not support `tab_separated`. */
  async *csvRows(options: Options<ExportCsvData>): AsyncGenerator<string[]> {
    yield* csvRows(await this.csvBytes(options))
  }

  /** Yields the rows of the CSV export as objects. Does not support `tab_separated`. */
  async *csvRecords(options: Options<ExportCsvData>): AsyncGenerator<Record<string, string>> {
    yield* csvRecords(await this.csvBytes(options))
  }
}
