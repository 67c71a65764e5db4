import { parse } from 'csv-parse/sync'

/** Returns the rows of a CSV file by the names of its columns. */
export const csvTable = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })
