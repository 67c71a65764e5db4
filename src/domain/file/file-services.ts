import type { Log } from '../../lib/log.ts'
import { isClean } from '../../lib/virus-scan.ts'
import type { FileServices } from '../services.ts'

interface FileConfig extends Pick<FileServices, 'maxMegabytes' | 'megabytesPerAccount'> {
  /** Undefined: files are not scanned. */
  scanCommand: string | undefined
}

/** Creates the services that check uploaded files. */
export const createFileServices = ({ scanCommand, ...limits }: FileConfig, log: Log): FileServices => ({
  ...limits,
  isClean: async (file) => !scanCommand || isClean(scanCommand, file),
  reportScanFailure: (error) => log.error({ err: error }, 'the virus scanner failed'),
})
