import { MAX_DECIMALS, MAX_SLIDER_VALUES } from '../kind-settings.ts'
import { withOther } from './choices.ts'
import type { Referable } from './condition.ts'
import type { Constrained } from './constraint.ts'
import type { Form } from './form.ts'
import { DEVICE_TYPES, RECORDED_TYPES, type RowType } from './row-type.ts'
import type { TableRow } from './table.ts'

type Members = Record<string, unknown>

/** A converted type: the members of the question and of its option object. */
export interface Converted {
  idname: string
  option?: Members
  answer?: Referable['answer']
  constrained?: Constrained
}

/** Height in lines of a text box for a paragraph. */
const PARAGRAPH_LINES = 5

/**
 * Converts the type of a row.
 * @returns undefined if the row is left out
 */
export function convertType(row: TableRow, type: RowType, form: Form): Converted | undefined {
  switch (type.kind) {
    case 'select':
    case 'rank':
      return convertChoices(row, type, form)
    case 'plain':
      return convertPlain(row, type.name, form)
    default:
      return undefined
  }
}

function convertChoices(
  row: TableRow,
  type: Extract<RowType, { kind: 'select' | 'rank' }>,
  form: Form,
): Converted | undefined {
  const found = form.lists.get(type.list)
  if (!found) {
    form.issues.add(
      'list_not_found',
      row.at('type'),
      `There is no list of choices “${type.list.slice(0, 60)}”. The question was left out. Add the question in the builder.`,
      row.get('type'),
    )
    return undefined
  }
  if (row.get('choice_filter') !== '')
    form.issues.add(
      'expression_not_supported',
      row.at('choice_filter'),
      'Choices cannot be filtered by an earlier answer, so all choices are shown. Split the question into one for each answer, with conditions.',
      row.get('choice_filter'),
    )
  const orOther = type.kind === 'select' && type.orOther
  const list = orOther ? withOther(found, form.languages) : found
  form.useList(list)
  const option = {
    choices: list.choices,
    ...(/\brandomize\s*=\s*true/i.test(row.get('parameters')) && { randomize: true }),
  }
  if (type.kind === 'rank')
    return { idname: 'ranking', option, answer: 'ranking', constrained: { answer: 'other', list } }
  if (type.multiple)
    return { idname: 'multiple-choice', option, answer: 'multiple', constrained: { answer: 'multiple', list } }
  const isDropdown = /\b(?:minimal|autocomplete|search)\b/.test(row.get('appearance')) && !orOther
  return {
    idname: isDropdown ? 'dropdown-choice' : 'single-choice',
    option,
    answer: 'single',
    constrained: { answer: 'other', list },
  }
}

function convertPlain(row: TableRow, type: string, form: Form): Converted | undefined {
  const appearance = row.get('appearance')
  switch (type) {
    case 'text': {
      const lines = Number(/\brows\s*=\s*(\d{1,2})\b/.exec(row.get('parameters'))?.[1])
      const height = lines >= 1 && lines <= 50 ? lines : /\bmultiline\b/.test(appearance) ? PARAGRAPH_LINES : undefined
      const option = {
        ...(height !== undefined && { lines: height }),
        ...(/\bnumbers\b/.test(appearance) && { validation: { kind: 'number' } }),
      }
      return { idname: 'text-response', option, answer: 'text', constrained: { answer: 'text' } }
    }
    case 'integer':
      return { idname: 'number', option: {}, answer: 'number', constrained: { answer: 'integer' } }
    case 'decimal':
      return {
        idname: 'number',
        option: { decimals: MAX_DECIMALS },
        answer: 'number',
        constrained: { answer: 'decimal' },
      }
    case 'range':
      return convertRange(row)
    case 'date':
    case 'time':
    case 'datetime':
      return { idname: 'datetime', option: { format: type }, answer: 'time', constrained: { answer: 'other' } }
    case 'note':
      return { idname: 'section-separator' }
    case 'acknowledge': {
      const list = {
        choices: [{ label: { [form.defaultLanguage]: 'OK' } }],
        positions: new Map([['OK', 0]]),
        characters: 0,
        values: 0,
      }
      return {
        idname: 'multiple-choice',
        option: { choices: list.choices },
        answer: 'multiple',
        constrained: { answer: 'other', list },
      }
    }
    case 'barcode':
      form.issues.add(
        'type_replaced',
        row.at('type'),
        'Barcodes cannot be scanned. The question asks for a text.',
        type,
      )
      return { idname: 'text-response', option: {}, answer: 'text', constrained: { answer: 'text' } }
    case 'file':
    case 'image':
    case 'audio':
    case 'video':
      return convertFile(row, type, form)
    case 'hidden':
      return { idname: 'hidden-field', option: hiddenDefault(row.get('default')), answer: 'text' }
    case 'calculate':
      return convertCalculation(row, form)
    default:
      return omit(row, type, form)
  }
}

/** Appearances of an image that respondents draw. */
const DRAWN = /\b(?:draw|annotate)\b/

/** Converts a question that asks for a file. If `type` is `file`, the question accepts all types of files. */
function convertFile(row: TableRow, type: string, form: Form): Converted {
  const appearance = type === 'image' ? row.get('appearance') : ''
  if (/\bsignature\b/.test(appearance)) return { idname: 'signature', option: {}, answer: 'text' }
  const drawn = DRAWN.exec(appearance)?.[0]
  if (drawn)
    form.issues.add(
      'type_replaced',
      row.at('appearance'),
      'Images cannot be drawn on the page. The question asks for a file with an image.',
      drawn,
    )
  return { idname: 'file-upload', option: type === 'file' ? {} : { fileTypes: [type] } }
}

/**
 * Converts a range to a slider. Converts it to a number question instead if `step` is not positive, if `step` is larger
 * than the distance from `start` to `end`, or if the slider would have too many values.
 */
function convertRange(row: TableRow): Converted {
  const parameter = (name: string, absent: number): number => {
    const number = Number(new RegExp(`\\b${name}\\s*=\\s*(-?[0-9.]{1,15})`).exec(row.get('parameters'))?.[1] ?? absent)
    return Number.isNaN(number) ? absent : number
  }
  const [start, end, step] = [parameter('start', 0), parameter('end', 10), parameter('step', 1)]
  const limits = { min: Math.min(start, end), max: Math.max(start, end) }
  const steps = (limits.max - limits.min) / step
  const isSlider = step > 0 && steps >= 1 && steps <= MAX_SLIDER_VALUES
  const constrained: Constrained = { answer: 'other' }
  return isSlider
    ? { idname: 'slider', option: { ...limits, step }, answer: 'number', constrained }
    : { idname: 'number', option: { ...limits, decimals: MAX_DECIMALS }, answer: 'number', constrained }
}

const hiddenDefault = (value: string): Members => (value === '' ? {} : { default: value })

/** Converts a calculation with a constant expression to a hidden field. Leaves out any other calculation. */
function convertCalculation(row: TableRow, form: Form): Converted | undefined {
  const text = row.get('calculation') || row.get('default')
  const expression = form.parse(text)
  if (expression?.kind === 'literal')
    return { idname: 'hidden-field', option: hiddenDefault(String(expression.value)), answer: 'text' }
  form.issues.add(
    'calculation_not_supported',
    row.at('calculation'),
    'The calculation cannot be converted. The row was left out. Add a calculation in the builder, or calculate the value after the export.',
    text,
  )
  return undefined
}

function omit(row: TableRow, type: string, form: Form): undefined {
  if (RECORDED_TYPES.has(type)) return
  const advice = DEVICE_TYPES.has(type)
    ? 'Data of the device is not collected.'
    : type.includes('_from_file') || type.includes('_external')
      ? 'Choices from other files are not read. Add the question with its choices in the builder.'
      : 'This type of question is not supported. Ask for a text instead, or leave the question out.'
  form.issues.add('type_not_supported', row.at('type'), `The row was left out. ${advice}`, row.get('type'))
}
