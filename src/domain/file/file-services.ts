import type { Bucket, S3Settings } from '../../lib/bucket.ts'
import type { Log } from '../../lib/log.ts'
import { createVirusScanner, type ScannerOptions } from '../../lib/virus-scan.ts'
import type { FileServices, StoreOperation } from '../services.ts'

interface FileConfig extends Pick<FileServices, 'maxMegabytes' | 'megabytesPerAccount' | 'surveyShare' | 'store'> {
  /** Undefined: files are not scanned. */
  scanner: ScannerOptions | undefined
  s3: S3Settings
}

/** Time without traffic after which a request to a bucket fails. Uploads of respondents have the same limit. */
const IDLE_TIMEOUT_MS = 30_000

/**
 * Creates the services that check and store uploaded files.
 * @param countFailure receives each failed operation on a bucket
 */
export function createFileServices(
  { scanner, s3, ...settings }: FileConfig,
  log: Log,
  countFailure: (operation: StoreOperation) => void,
): FileServices {
  const isClean = scanner && createVirusScanner(scanner)
  const buckets = new Map<string, Promise<Bucket>>()
  const open = async (url: string) => {
    // The SDK is loaded only if it is needed, because it is large and most installations store files in the database.
    const { openBucket } = await import('../../lib/bucket.ts')
    return openBucket(url, s3, IDLE_TIMEOUT_MS)
  }
  return {
    ...settings,
    isClean: async (file) => !isClean || isClean(file),
    reportScanFailure: (error) => log.error({ err: error }, 'the virus scanner failed'),
    openBucket: (url) => {
      const opened = buckets.get(url)
      if (opened) return opened
      const bucket = open(url)
      buckets.set(url, bucket)
      // After an error, the next call tries to load the SDK again.
      bucket.catch(() => buckets.delete(url))
      return bucket
    },
    close: async () => {
      for (const bucket of buckets.values()) (await bucket).close()
    },
    reportStoreFailure: (operation, error) => {
      log.error({ err: error, operation }, 'the store of uploaded files failed')
      countFailure(operation)
    },
  }
}
