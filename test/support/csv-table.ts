import { parse } from 'csv-parse/sync'

/** The rows of an exported table by the names of its columns. */
export const csvTable = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })
