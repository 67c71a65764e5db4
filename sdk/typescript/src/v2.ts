import { type Bytes, csvRecords, csvRows } from './csv.js'
import { download } from './download.js'
import type { Options, PostOptions } from './options.js'
import type { APIPromise } from './promise.js'
import { V2Api } from './v2/resources.gen.js'
import type { CreateResponseData, ExportCsvData, ImportedResponses } from './v2/types.gen.js'

/** Version 2 of the API. Every operation is a method. */
export class V2 extends V2Api {
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

  /**
   * Imports the rows of a CSV file as responses. If a row is invalid, no row is imported. The header must contain
   * question IDs.
   */
  importResponses(
    options: Options<Omit<CreateResponseData, 'body'> & { body: string }, PostOptions>,
  ): APIPromise<ImportedResponses> {
    return this.transport.call('POST', '/surveys/{survey_id}/responses/', options, { contentType: 'text/csv' })
  }
}
