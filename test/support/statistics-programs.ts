import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'
import { temporaryFolder } from './temp-postgres.ts'

/** What a program says about a variable of a file that it has read. */
export interface ReadVariable {
  name: string
  label: string
  /** The number of cases in which the variable is not missing. */
  valid: number
  /** The mean; undefined for a text and for a variable without values. */
  mean: number | undefined
  /** Labels by value. */
  values: Record<string, string>
}

export interface ReadFile {
  cases: number
  variables: ReadVariable[]
}

/** @throws Error that says how to install a program */
function run(folder: string, program: string, args: string[], name: string): string {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  try {
    return execFileSync(program, args, { cwd: folder, encoding: 'utf8', env, maxBuffer: 1e8 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`${program} is not installed. On Debian: apt-get install --no-install-recommends ${name}`)
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error })
  }
}

/** Stores files in a new folder. @returns the folder */
function folderWith(files: Record<string, string | Buffer>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}

/**
 * Reads a file with its syntax file in PSPP.
 * @param names the names of the variables that are numbers
 * @returns what PSPP read, and its data as it exports them
 */
export function readWithPspp(
  files: Record<string, string | Buffer>,
  syntax: string,
  numbers: readonly string[],
): ReadFile & { rows: Record<string, string>[] } {
  const commands = [
    `INSERT FILE='${syntax}'.`,
    'DISPLAY DICTIONARY.',
    "SAVE TRANSLATE /OUTFILE='rows.txt' /TYPE=CSV /FIELDNAMES /REPLACE.",
    'COMPUTE one = 1.',
    'AGGREGATE OUTFILE=* /BREAK=one /cases=N',
    ...numbers.flatMap((name, index) => [`/v${index}=N(${name})`, `/m${index}=MEAN(${name})`]),
    '.',
    `FORMATS cases ${numbers.flatMap((_, index) => [`v${index}`, `m${index}`]).join(' ')} (F40.14).`,
    "SAVE TRANSLATE /OUTFILE='means.txt' /TYPE=CSV /FIELDNAMES /TEXTOPTIONS FORMAT=VARIABLE /REPLACE.",
  ]
  const folder = folderWith({ ...files, 'all.sps': `${commands.join('\n')}\n` })
  const output = run(folder, 'pspp', ['-O', 'format=csv', 'all.sps'], 'pspp')
  if (/warning|error/i.test(output)) throw new Error(output)
  const read = (name: string): Record<string, string>[] =>
    parse(readFileSync(path.join(folder, name), 'utf8'), { columns: true })
  const [means] = read('means.txt')
  const [, dictionary = '', labels = ''] = output.split(/Table: (?:Variables|Value Labels)\n/)
  const described: string[][] = parse(dictionary.split('\n\n')[0]!, { from: 2, relax_column_count: true })
  const values: Record<string, Record<string, string>> = {}
  let current = ''
  for (const [variable, value, label] of parse(labels.split('\n\n')[0]!, {
    from: 2,
    relax_column_count: true,
  }) as string[][]) {
    current = variable || current
    values[current] = { ...values[current], [plain(value!)]: label! }
  }
  return {
    cases: Number(means!.cases),
    rows: read('rows.txt'),
    variables: described.map(([name = '', , label = '']) => {
      const index = numbers.indexOf(name)
      const mean = Number(means![`m${index}`])
      return {
        name,
        label,
        valid: index === -1 ? Number.NaN : Number(means![`v${index}`]),
        mean: index === -1 || Number(means![`v${index}`]) === 0 ? undefined : mean,
        values: values[label || name] ?? {},
      }
    }),
  }
}

/** PSPP shows values with the decimals of the format of their variable. */
const plain = (value: string): string => (/^-?[\d.]+$/.test(value) ? String(Number(value)) : value)

/** What a program of Python, or haven, read from a file. */
export interface ReadData {
  version: string
  names: string[]
  cases: number
  rows: Record<string, number | string | boolean | null>[]
  labels: Record<string, string>
  measures: Record<string, string>
  formats: Record<string, string>
  values: Record<string, [value: string, label: string][]>
  sets: Record<string, { label: string; variable_list: string[]; counted_value: unknown; is_dichotomy: boolean }>
  title: string
  encoding: string
  /** The type of each column, and the metadata, of a Parquet file. */
  types: Record<string, string>
  metadata: Record<string, string>
  groups: number
}

const READERS = ['pyreadstat==1.3.7', 'pandas==3.1.1', 'pyarrow==26.0.1', 'duckdb==2.0.1']

/** Reads a file with a library for Python. The reader of pyreadstat is that of R's haven (ReadStat). */
export async function readWithPython(
  program: 'pyreadstat' | 'pandas' | 'pyarrow' | 'duckdb',
  name: string,
  file: Buffer,
): Promise<ReadData> {
  const venv = path.join(import.meta.dirname, '../../build/venv/statistics')
  const bin = await virtualEnvironment(venv, READERS, 'make test-slow')
  const script = path.join(import.meta.dirname, 'read-data.py')
  return JSON.parse(run(folderWith({ [name]: file }), path.join(bin, 'python'), [script, program, name], 'python3'))
}

/** Prints what haven reads as JSON. Dates and times are numbers as Stata counts them. */
const READ_WITH_HAVEN = `
read <- haven::read_dta("NAME")
text <- function(values) if (is.numeric(values)) format(values, trim = TRUE, scientific = FALSE) else values
whole <- function(values) {
  if (inherits(values, "Date")) return(as.numeric(values) + 3653)
  if (inherits(values, "POSIXct")) return((as.numeric(values) + 3653 * 86400) * 1000)
  if (inherits(values, "hms")) return(as.numeric(values) * 1000)
  as.vector(unclass(values))
}
labels <- lapply(read, function(values) {
  own <- attr(values, "labels")
  if (is.null(own)) list() else unname(Map(function(value, label) list(text(unclass(value)), label), own, names(own)))
})
cat(jsonlite::toJSON(list(
  version = as.character(packageVersion("haven")), names = names(read), cases = nrow(read),
  labels = lapply(read, function(values) attr(values, "label")), values = labels,
  rows = as.data.frame(lapply(read, whole), optional = TRUE)
), auto_unbox = TRUE, digits = NA, na = "null"))
`

/** Reads a data file of Stata with haven. @returns undefined if R has no haven */
export function readWithHaven(name: string, file: Buffer): ReadData | undefined {
  const folder = folderWith({ [name]: file, 'read.R': READ_WITH_HAVEN.replace('NAME', name) })
  const installed = 'cat(all(sapply(c("haven", "jsonlite"), requireNamespace, quietly = TRUE)))'
  if (run(folder, 'Rscript', ['--vanilla', '-e', installed], 'r-base-core') !== 'TRUE') {
    console.warn('haven is not tried. On Debian: apt-get install --no-install-recommends r-cran-haven r-cran-jsonlite')
    return undefined
  }
  return JSON.parse(run(folder, 'Rscript', ['--vanilla', 'read.R'], 'r-base-core'))
}

/** Reads a file with its script in R. */
export function readWithR(files: Record<string, string>, script: string): ReadFile {
  const report = `
source("${script}", encoding = "UTF-8")
cat(nrow(data), "\\n", sep = "")
for (name in names(data)) {
  value <- data[[name]]
  labels <- attr(value, "labels")
  cat(name, attr(value, "label"), sum(!is.na(value)),
    if (is.numeric(value)) format(mean(value, na.rm = TRUE), digits = 17) else "",
    if (length(labels)) paste(format(unname(labels), trim = TRUE), names(labels), sep = "\\u0001", collapse = "\\u0002") else "",
    sep = "\\t")
  cat("\\n")
}
`
  const folder = folderWith({ ...files, 'all.R': report })
  const [cases, ...lines] = run(folder, 'Rscript', ['--vanilla', 'all.R'], 'r-base-core').trimEnd().split('\n')
  return {
    cases: Number(cases),
    variables: lines.map((line) => {
      const [name = '', label = '', valid, mean, labels = ''] = line.split('\t')
      const pairs = labels.split('\u0002').filter((pair) => pair.includes('\u0001'))
      const number = mean === '' || mean === 'NaN' ? undefined : Number(mean)
      return {
        name,
        label,
        valid: Number(valid),
        mean: number,
        values: Object.fromEntries(pairs.map((pair) => pair.split('\u0001'))),
      }
    }),
  }
}

/** Unpacks the analysis of a report and runs one of its scripts. @returns the printed lines, split at tabs */
export async function runAnalysis(archive: Buffer, program: 'python' | 'R', ...options: string[]): Promise<string[][]> {
  const folder = folderWith({ 'analysis.zip': archive })
  run(folder, 'python3', ['-m', 'zipfile', '-e', 'analysis.zip', '.'], 'python3')
  const output =
    program === 'python'
      ? run(folder, 'python3', ['analysis.py', ...options], 'python3')
      : run(folder, 'Rscript', ['--vanilla', 'analysis.R', ...options], 'r-base-core')
  return output
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
}
