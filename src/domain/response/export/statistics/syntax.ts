import { cutToBytes } from '../../../../lib/excerpt.ts'
import { MAX_TEXT_BYTES } from '../../../../lib/sav/write-sav.ts'
import type { ValueLabel, Variable, VariableType } from './variables.ts'

/** What a program needs to read a file: its name, its variables and, for SPSS, the widths of their cells in bytes. */
export interface DataFile {
  filename: string
  variables: readonly Variable[]
  widths: readonly number[]
}

/** Maximum lengths of labels: in bytes in SPSS, in characters in Stata. */
const MAX_SPSS_LABEL_BYTES = 256
const MAX_SPSS_VALUE_BYTES = 120
const MAX_STATA_LABEL_CHARACTERS = 80

const isText = ({ type }: Variable): boolean => type === 'text'
const labelled = (variables: readonly Variable[]) => variables.filter(({ values }) => values.length > 0)

const SPSS_FORMATS: Readonly<Record<Exclude<VariableType, 'text'>, string>> = {
  number: 'F20.0',
  date: 'SDATE10',
  time: 'TIME8',
  datetime: 'YMDHMS20',
}

/** Returns a syntax file for SPSS and PSPP that reads a file with names, types, labels and levels of measurement. */
export function spssSyntax({ filename, variables, widths }: DataFile): string {
  const formats = variables.map((variable, index) => {
    const { name, type } = variable
    const width = Math.min(MAX_TEXT_BYTES, Math.max(1, widths[index] ?? 0))
    return `    ${name} ${type === 'text' ? `A${width}` : SPSS_FORMATS[type]}`
  })
  const labels = variables.map(({ name, label }) => `    ${name} ${spssText(label, MAX_SPSS_LABEL_BYTES)}`)
  const values = labelled(variables).map(({ name, type, values }) => {
    const lines = values.map(
      ({ value, label }) =>
        `        ${type === 'text' ? spssText(value, MAX_SPSS_VALUE_BYTES) : value} ${spssText(label, MAX_SPSS_VALUE_BYTES)}`,
    )
    return `${name}\n${lines.join('\n')}`
  })
  const levels = variables.map(({ name, measure }) => `${name} (${measure.toUpperCase()})`)
  const decimals = variables.filter(hasDecimals)
  return lines(
    `* Reads ${filename}. Blank cells are missing values. Start this file in the folder of the data.`,
    'GET DATA',
    '    /TYPE=TXT',
    `    /FILE=${spssText(filename, MAX_SPSS_LABEL_BYTES)}`,
    "    /ENCODING='UTF8'",
    '    /ARRANGEMENT=DELIMITED',
    '    /DELCASE=LINE',
    '    /FIRSTCASE=2',
    "    /DELIMITERS=','",
    `    /QUALIFIER='"'`,
    '    /VARIABLES=',
    `${formats.join('\n')}.`,
    'VARIABLE LABELS',
    `${labels.join('\n')}.`,
    ...(values.length > 0 ? ['VALUE LABELS', `    ${values.join('\n    /')}.`] : []),
    'VARIABLE LEVEL',
    `    ${levels.join('\n    /')}.`,
    ...(decimals.length > 0 ? ['FORMATS', `    ${decimals.map(({ name }) => name).join('\n    ')} (F12.2).`] : []),
    'EXECUTE.',
  )
}

const hasDecimals = ({ source }: Variable): boolean =>
  'meta' in source ? source.meta.type === 'float' : source.field.type === 'decimal'

const spssText = (text: string, bytes: number): string => `'${cutToBytes(text, bytes).replaceAll("'", "''")}'`

const STATA_MASKS: Partial<Record<VariableType, readonly [mask: string, format: string]>> = {
  date: ['date(%, "YMD")', '%td'],
  time: ['clock(%, "hms")', '%tcHH:MM:SS'],
  datetime: ['clock(%, "YMDhms")', '%tc'],
}

/** Returns a do-file for Stata 14 or newer that reads a file with types and labels. */
export function stataSyntax({ filename, variables }: DataFile): string {
  const columns = (test: (variable: Variable) => boolean) =>
    variables.flatMap((variable, index) => (test(variable) ? [index + 1] : [])).join(' ')
  const times = variables.flatMap(({ name, type }) => {
    const [mask, format] = STATA_MASKS[type] ?? []
    if (mask === undefined) return []
    // A time without seconds is not what the mask describes.
    const seconds =
      type === 'date'
        ? []
        : [
            `replace ${name} = ${name} + ":00" if regexm(${name}, "[0-9][0-9]:[0-9][0-9]$") & !regexm(${name}, ":[0-9][0-9]:[0-9][0-9]$")`,
          ]
    return [
      ...seconds,
      `generate double _time = ${mask.replace('%', name)}`,
      `order _time, after(${name})`,
      `drop ${name}`,
      `rename _time ${name}`,
      `format ${name} ${format}`,
    ]
  })
  const labels = variables.map(
    ({ name, label }) =>
      `label variable ${name} ${stataText([...label].slice(0, MAX_STATA_LABEL_CHARACTERS).join(''))}`,
  )
  return lines(
    `* Reads ${filename}. Blank cells are missing values. Start this file in the folder of the data.`,
    'version 14',
    `import delimited using ${stataText(filename)}, clear delimiters(",") varnames(1) case(preserve) bindquotes(strict) ///`,
    `    encoding("UTF-8") stringcols(${columns(({ type }) => type !== 'number')}) numericcols(${columns(({ type }) => type === 'number')})`,
    ...times,
    ...labels,
    ...labelled(variables).flatMap(stataValues),
  )
}

/** Returns the labels of the values of a variable. Stata can only label whole numbers, so all others are notes. */
function stataValues(variable: Variable): string[] {
  const { name, values } = variable
  const canLabel = !isText(variable) && values.every(({ value }) => /^-?\d+$/.test(value))
  if (!canLabel) return values.map(({ value, label }) => `notes ${name}: ${stataPlain(`${value} = ${label}`)}`)
  return [
    ...values.map(({ value, label }) => `label define ${name} ${value} ${stataText(label)}, add`),
    `label values ${name} ${name}`,
  ]
}

/** Stata replaces what follows a backtick or a dollar sign, also within quotes. */
const stataPlain = (text: string): string => text.replaceAll('`', "'").replaceAll('$', '\\$')
const stataText = (text: string): string => `\`"${stataPlain(text).replaceAll('"', "''")}"'`

/** Returns a script for R that reads a file as `data` with types and labels, as the packages haven and labelled do. */
export function rSyntax({ filename, variables }: DataFile): string {
  const classes = variables.map(({ name, type }) => `  ${name} = "${type === 'number' ? 'numeric' : 'character'}"`)
  const times = variables.flatMap(({ name, type }) =>
    type === 'date'
      ? [`data$${name} <- as.Date(data$${name})`]
      : type === 'datetime'
        ? [
            `data$${name} <- as.POSIXct(data$${name}, tz = "UTC", tryFormats = c("%Y-%m-%d %H:%M:%OS", "%Y-%m-%d %H:%M"))`,
          ]
        : [],
  )
  const labels = variables.map(({ name, label, type, values }) => {
    const given =
      values.length > 0
        ? `,\n  c(${rValues(values, type)}),\n  c(${values.map(({ label: text }) => rText(text)).join(', ')})`
        : ''
    return `describe("${name}", ${rText(label)}${given})`
  })
  return lines(
    `# Reads ${filename} as "data". Blank cells are missing values (NA). Start R in the folder of the data.`,
    `data <- read.csv(${rText(filename)}, fileEncoding = "UTF-8-BOM", na.strings = "", check.names = FALSE, colClasses = c(`,
    `${classes.join(',\n')}`,
    '))',
    ...times,
    '# Sets the label of a variable and the labels of its values.',
    'describe <- function(name, label, values = NULL, labels = NULL) {',
    '  attr(data[[name]], "label") <<- label',
    '  if (!is.null(values)) attr(data[[name]], "labels") <<- stats::setNames(values, labels)',
    '}',
    '# Returns a variable with the labels of its values, for tables and charts: table(choices("q1"))',
    'choices <- function(name) {',
    '  values <- attr(data[[name]], "labels")',
    '  factor(data[[name]], levels = unname(values), labels = make.unique(names(values)))',
    '}',
    ...labels,
  )
}

const rValues = (values: readonly ValueLabel[], type: VariableType): string =>
  values.map(({ value }) => (type === 'text' ? rText(value) : value)).join(', ')

const rText = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

const lines = (...all: string[]): string => `${all.join('\n')}\n`
