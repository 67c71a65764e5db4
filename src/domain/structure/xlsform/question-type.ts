import { MAX_SLIDER_VALUES } from '../../../questions/slider.ts'
import { MAX_DECIMALS } from '../number.ts'
import { calculationOf } from './calculation.ts'
import { type FilteredList, filteredList } from './choice-filter.ts'
import { type ChoiceList, withNumericScores, withOther } from './choices.ts'
import type { Referable } from './condition.ts'
import { ALWAYS, type Form, type Relevance, withPlaceholders } from './form.ts'
import type { Constrained } from './pattern.ts'
import { DEVICE_TYPES, LIMITED_INTEGERS, RECORDED_TYPES, type RowType } from './row-type.ts'
import type { TableRow } from './table.ts'

type Members = Record<string, unknown>

/** A converted type: the members of the question and of its option object. */
export interface Converted {
  idname: string
  option?: Members
  /** How expressions and texts can refer to the question; undefined if they cannot. */
  referable?: Omit<Referable, 'key' | 'page'>
  constrained?: Constrained
}

/** A calculation that is not in the survey, but whose parts conditions can test. */
export interface Formula {
  formula: Referable['formula']
}

/** Height in lines of a text box for a paragraph. */
const PARAGRAPH_LINES = 5

const NO_POSITIONS: ReadonlyMap<string, readonly number[]> = new Map()
const answering = (answer: Referable['answer']) => ({ answer, positions: NO_POSITIONS })

/**
 * Converts the type of a row.
 * @returns undefined if the row is left out
 */
export function convertType(
  row: TableRow,
  type: RowType,
  form: Form,
  relevance: Relevance,
): Converted | Formula | undefined {
  switch (type.kind) {
    case 'select':
    case 'rank':
      return convertChoices(row, type, form)
    case 'plain':
      return convertPlain(row, type.name, form, relevance)
    default:
      return undefined
  }
}

/** Appearances and conversions that make a list of choices from another file. */
const SEARCHED = /\bsearch\s*\(/

function convertChoices(
  row: TableRow,
  type: Extract<RowType, { kind: 'select' | 'rank' }>,
  form: Form,
): Converted | undefined {
  if (SEARCHED.test(row.get('appearance'))) {
    form.issues.add(
      'type_not_supported',
      row.at('appearance'),
      'The row was left out. Choices from other files are not read. Add the question with its choices in the builder.',
      row.get('appearance'),
    )
    return undefined
  }
  const found = form.lists.get(type.list)
  if (!found || found.choices.length === 0) {
    form.issues.add(
      'list_not_found',
      row.at('type'),
      `There is no list of choices “${type.list.slice(0, 60)}”. The question was left out. Add the question in the builder.`,
      row.get('type'),
    )
    return undefined
  }
  if (type.kind === 'rank' && type.orOther)
    form.issues.add(
      'type_replaced',
      row.at('type'),
      'A ranking has no choice with a text field. The addition “or_other” was left out.',
      row.get('type'),
    )
  const orOther = type.kind === 'select' && type.orOther
  const scored = form.calculated.has(row.get('name')) && type.kind === 'select' ? withNumericScores(found) : undefined
  const whole = orOther ? withOther(found, form.languages) : (scored ?? found)
  const filtered = filteredListOf(row, type, whole, form)
  const list = filtered?.list ?? whole
  form.useList(list)
  const option = {
    choices: choicesFor(row, list, form),
    ...(filtered && filtered.choiceFilter.length > 0 && { choiceFilter: filtered.choiceFilter }),
    ...(/\brandomize\s*=\s*true/i.test(row.get('parameters')) && { randomize: true }),
  }
  const { positions } = list
  const codes = list.choices.map(({ code }) => code)
  if (type.kind === 'rank')
    return {
      idname: 'ranking',
      option,
      referable: { answer: 'ranking', positions },
      constrained: { answer: 'other', list },
    }
  if (type.multiple)
    return {
      idname: 'multiple-choice',
      option,
      referable: { answer: 'multiple', positions, codes },
      constrained: { answer: 'multiple', list },
    }
  const isDropdown = /\b(?:minimal|autocomplete|search)\b/.test(row.get('appearance')) && !orOther
  return {
    idname: isDropdown ? 'dropdown-choice' : 'single-choice',
    option,
    referable: { answer: 'single', positions, codes, isScored: scored !== undefined && whole === scored },
    constrained: { answer: 'other', list },
  }
}

/** Returns the list of a question with a choice filter; undefined if there is none, or it cannot be converted. */
function filteredListOf(
  row: TableRow,
  type: Extract<RowType, { kind: 'select' | 'rank' }>,
  list: ChoiceList,
  form: Form,
): FilteredList | undefined {
  const text = row.get('choice_filter')
  if (text === '') return undefined
  const expression = form.parse(text)
  const filtered = type.kind === 'select' && expression ? filteredList(list, expression, form.find) : undefined
  if (!filtered)
    form.issues.add(
      'expression_not_supported',
      row.at('choice_filter'),
      'The choice filter cannot be converted, so all choices are shown. Filter the choices by an earlier answer in the builder.',
      text,
    )
  return filtered
}

/** Returns the choices of a question. References to answers in their labels become placeholders. */
const choicesFor = (row: TableRow, { choices }: ChoiceList, form: Form): Members[] =>
  choices.map((choice) => ({ ...choice, label: withPlaceholders(choice.label, row, 'type', form) }))

/** Appearances of a date that ask for a part of it, or for a date of another calendar. */
const OTHER_DATES = /\b(?:month-year|year|ethiopian|coptic|islamic|bikram-sambat|myanmar|persian|buddhist|hebrew)\b/

function convertPlain(row: TableRow, type: string, form: Form, relevance: Relevance): Converted | Formula | undefined {
  const appearance = row.get('appearance')
  const limited = LIMITED_INTEGERS.get(type)
  if (limited !== undefined)
    return {
      idname: 'number',
      option: { min: 0, max: limited },
      referable: answering('number'),
      constrained: { answer: 'integer' },
    }
  switch (type) {
    case 'text': {
      const lines = Number(/\brows\s*=\s*(\d{1,2})\b/.exec(row.get('parameters'))?.[1] ?? row.get('rows'))
      const height = lines >= 1 && lines <= 50 ? lines : /\bmultiline\b/.test(appearance) ? PARAGRAPH_LINES : undefined
      const option = height === undefined ? {} : { lines: height }
      return { idname: 'text-response', option, referable: answering('text'), constrained: { answer: 'text' } }
    }
    case 'integer':
      return { idname: 'number', option: {}, referable: answering('number'), constrained: { answer: 'integer' } }
    case 'decimal':
      return {
        idname: 'number',
        option: { decimals: MAX_DECIMALS },
        referable: answering('number'),
        constrained: { answer: 'decimal' },
      }
    case 'range':
      return convertRange(row, form)
    case 'date':
    case 'time':
    case 'datetime': {
      const other = OTHER_DATES.exec(appearance)?.[0]
      if (other)
        form.issues.add(
          'type_replaced',
          row.at('appearance'),
          /year/.test(other)
            ? 'The question asks for a full date.'
            : 'The question asks for a date of the Gregorian calendar.',
          other,
        )
      return {
        idname: 'datetime',
        option: { format: type },
        referable: answering('time'),
        constrained: { answer: type === 'date' ? 'date' : 'other' },
      }
    }
    case 'note':
      return { idname: 'section-separator' }
    case 'acknowledge': {
      const choices = [{ label: Object.fromEntries(form.languages.map((code) => [code, 'OK'])), code: 'OK' }]
      const positions = new Map([['OK', [0]]])
      const list = { choices, positions, rows: [[]], characters: 0, values: 0 }
      return {
        idname: 'multiple-choice',
        option: { choices },
        referable: { answer: 'multiple', positions },
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
      return { idname: 'text-response', option: {}, referable: answering('text'), constrained: { answer: 'text' } }
    case 'file':
    case 'image':
    case 'audio':
    case 'video':
      return convertFile(row, type, form)
    case 'hidden':
      return convertHidden(row, row.get('default') || row.get('calculation'), form)
    case 'calculate':
      return convertCalculation(row, form, relevance)
    default:
      return omit(row, type, form)
  }
}

/** Appearances of an image that respondents draw. */
const DRAWN = /\b(?:draw|annotate)\b/

/** Converts a question that asks for a file. If `type` is `file`, the question accepts all types of files. */
function convertFile(row: TableRow, type: string, form: Form): Converted {
  const appearance = type === 'image' ? row.get('appearance') : ''
  if (/\bsignature\b/.test(appearance)) return { idname: 'signature', option: {}, referable: answering('text') }
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

/** The range of pyxform for parameters that are missing. */
const RANGE = { start: 1, end: 10, step: 1 }

/**
 * Converts a range to a slider. Converts it to a number question instead if `step` is larger than the distance from
 * `start` to `end`, or if the slider would have too many values.
 */
function convertRange(row: TableRow, form: Form): Converted {
  const parameter = (name: keyof typeof RANGE): number => {
    const written = new RegExp(`(?:^|[\\s,;])${name}\\s*=\\s*([^\\s,;]{1,30})`, 'i').exec(row.get('parameters'))?.[1]
    const number = Number(written ?? RANGE[name])
    if (Number.isFinite(number) && Math.abs(number) <= 1e12) return number
    form.issues.add(
      'expression_not_supported',
      row.at('parameters'),
      `The parameter “${name}” must be a number. The default is ${RANGE[name]}.`,
      written,
    )
    return RANGE[name]
  }
  const [start, end, step] = [parameter('start'), parameter('end'), Math.abs(parameter('step'))]
  const limits = { min: Math.min(start, end), max: Math.max(start, end) }
  const steps = (limits.max - limits.min) / step
  const isSlider = step >= 1e-10 && steps >= 1 && steps <= MAX_SLIDER_VALUES
  const constrained: Constrained = { answer: 'other' }
  return isSlider
    ? { idname: 'slider', option: { ...limits, step }, referable: answering('number'), constrained }
    : {
        idname: 'number',
        option: { ...limits, decimals: MAX_DECIMALS },
        referable: answering('number'),
        constrained,
      }
}

/** Converts a row with a constant value to a hidden field. */
function convertHidden(row: TableRow, value: string, form: Form): Converted {
  const constant = constantOf(value, form)
  if (constant === undefined)
    form.issues.add(
      'calculation_not_supported',
      row.at(row.get('default') === '' ? 'calculation' : 'default'),
      'The value is calculated. A hidden field has a fixed value only, or the value in the link. The field is empty.',
      value,
    )
  return {
    idname: 'hidden-field',
    option: constant ? { default: constant } : {},
    referable: { ...answering('text'), page: -1 } as Referable,
  }
}

/** Returns a value that does not depend on anything: a literal, or a text that is no expression. */
function constantOf(text: string, form: Form): string | undefined {
  if (text === '') return ''
  const expression = form.parse(text)
  // The text `007` stays as it is.
  if (expression?.kind === 'literal') return typeof expression.value === 'number' ? text : expression.value
  // pyxform reads a default as an expression if it contains a reference, an operator or a call.
  return /\$\{|[\p{L}\p{N}_-]\(|[+*|]|(?<=\s)(?:-|div|mod)(?=\s)/u.test(text) ? undefined : text
}

/**
 * Converts a calculation: a constant to a hidden field, and an arithmetic expression to a calculation. Any other
 * calculation is left out, but conditions can test its parts.
 */
function convertCalculation(row: TableRow, form: Form, { expression: shownIf }: Relevance): Converted | Formula {
  const text = row.get('calculation') || row.get('default')
  const expression = form.parse(text)
  if (expression?.kind === 'literal') return convertHidden(row, text, form)
  // A calculation has a number. One that repeats the text of an answer is the answer in conditions and texts.
  const isText = expression?.kind === 'question' && form.find(expression.name)?.answer === 'text'
  const calculation = expression && !isText ? calculationOf(expression, form.find) : undefined
  if (calculation !== undefined)
    return {
      idname: 'calculation',
      option: { expression: calculation, decimals: MAX_DECIMALS },
      referable: answering('number'),
    }
  form.issues.add(
    'calculation_not_supported',
    row.at('calculation'),
    'The calculation cannot be converted. The row was left out. Add a calculation in the builder, or calculate the value after the export.',
    text,
  )
  const blank = { kind: 'literal', value: '' } as const
  if (!expression || !shownIf || shownIf === ALWAYS) return { formula: shownIf && expression }
  return { formula: { kind: 'call', name: 'if', args: [shownIf, expression, blank] } }
}

function omit(row: TableRow, type: string, form: Form): undefined {
  if (RECORDED_TYPES.has(type)) return
  const advice = DEVICE_TYPES.has(type)
    ? 'Data of the device is not collected.'
    : type.includes('_from_file') || type.includes('external')
      ? 'Choices from other files are not read. Add the question with its choices in the builder.'
      : 'This type of question is not supported. Ask for a text instead, or leave the question out.'
  form.issues.add('type_not_supported', row.at('type'), `The row was left out. ${advice}`, row.get('type'))
}
