import {
  array,
  between,
  boolean,
  type Check,
  checkMembers,
  checkRange,
  checkUids,
  count,
  isGiven,
  number,
  oneOf,
  score,
  string,
  text,
  uid,
} from './check-member.ts'
import type { FieldErrors } from './field-errors.ts'
import { isOptionType, type KindShape, shapeOf } from './kinds.ts'
import type { Outlined } from './outline.ts'
import { optionOf, settingOf } from './setting.ts'
import { validationKinds } from './text-validation.ts'
import { arrayOf, isRecord, type Json, under } from './walk.ts'

const MAX_CHOICES = 1000
/** Maximum number of visible lines of a text box. */
export const MAX_LINES = 50

const validation: Check = (errors, pointer, value) => {
  if (!isRecord(value)) {
    errors.add(pointer, 'invalid_type', { type: 'an object' })
    return
  }
  checkMembers(errors, pointer, value, {
    kind: oneOf(validationKinds),
    min: number,
    max: number,
    minLength: count,
    maxLength: count,
    message: text,
  })
  checkRange(errors, pointer, value, 'min', 'max')
  checkRange(errors, pointer, value, 'minLength', 'maxLength')
}

const choices: Check = (errors, pointer, value) => {
  if (!Array.isArray(value)) {
    errors.add(pointer, 'invalid_type', { type: 'an array of choices' })
    return
  }
  if (value.length > MAX_CHOICES) {
    errors.add(pointer, 'too_many', { max: MAX_CHOICES }, `must have at most ${MAX_CHOICES} choices`)
    return
  }
  for (const [index, choice] of value.entries()) {
    const place = under(pointer, index)
    if (!isRecord(choice)) {
      errors.add(place, 'invalid_type', { type: 'an object with a label' })
      continue
    }
    if (!isGiven(choice.label)) errors.add(under(place, 'label'), 'required')
    checkMembers(errors, place, choice, { label: text, score, other: boolean, exclusive: boolean, uid })
  }
  checkUids(errors, pointer, value)
}

const plain: Check = (errors, pointer, value) => {
  if (!['string', 'number', 'boolean'].includes(typeof value)) errors.add(pointer, 'invalid_type', { type: 'a string' })
}

/** Settings of an option object. In the short form they are members of the question. */
const settings: Readonly<Record<string, Check>> = {
  required: boolean,
  randomize: boolean,
  choices,
  validation,
  lines: between(1, MAX_LINES),
  minSelected: count,
  maxSelected: count,
  format: oneOf(['datetime', 'date', 'time']),
  default: plain,
  leftLabel: text,
  rightLabel: text,
  categories: array,
}

/** Checks a question except its names and its condition. Of an unknown type only the common members are checked. */
export function checkQuestion(errors: FieldErrors, { source, kind, pointer }: Outlined): void {
  checkMembers(errors, pointer, source, {
    type: string,
    title: text,
    description: text,
    width: number,
    children: array,
  })
  if (typeof source.idname !== 'string' || source.idname.trim() === '') {
    errors.add(under(pointer, 'idname'), 'required')
  }
  const shape = shapeOf(kind)
  if (!shape?.optionType) return
  checkMembers(errors, pointer, source, settings)
  checkChildren(errors, pointer, source, shape)
  checkChoices(errors, pointer, source, shape)
  if (kind === 'boolean-choice') checkBoolean(errors, pointer, source)
}

function checkChildren(errors: FieldErrors, pointer: string, source: Json, shape: KindShape): void {
  const children = arrayOf(source.children)
  const place = under(pointer, 'children')
  if (shape.grid && children.length === 0) errors.add(place, 'too_few', { min: 1 }, 'must have at least one row')
  if (children.length > MAX_CHOICES) {
    errors.add(place, 'too_many', { max: MAX_CHOICES })
    return
  }
  if (shape.grid) checkUids(errors, place, children)
  for (const [index, child] of children.entries()) {
    const at = under(place, index)
    if (!isRecord(child)) {
      errors.add(at, 'invalid_type', { type: 'an object' })
      continue
    }
    checkMembers(
      errors,
      at,
      child,
      shape.grid ? { type: string, label: text, required: boolean, uid } : { type: string, ...settings },
    )
    if (typeof child.type === 'string' && !isOptionType(shape, child.type)) {
      errors.add(under(at, 'type'), 'invalid_value', {}, `must be ${shape.optionType} for ${source.idname}`)
    }
  }
}

/** Returns the JSON pointer of a setting: on the option object, else on the question. */
const placeOf = (pointer: string, source: Json, member: string): string =>
  isGiven(optionOf(source)?.[member]) ? `${pointer}/children/0/${member}` : under(pointer, member)

function checkChoices(errors: FieldErrors, pointer: string, source: Json, shape: KindShape): void {
  const given = shape.grid ? source.choices : settingOf(source, 'choices')
  const place = shape.grid || !optionOf(source) ? under(pointer, 'choices') : `${pointer}/children/0/choices`
  if (shape.choices && arrayOf(given).length === 0 && (!isGiven(given) || Array.isArray(given))) {
    errors.add(place, 'too_few', { min: 1 }, `must have at least one choice for ${source.idname}`)
  }
  if (!shape.choices || shape.grid) return
  const [least, most] = [settingOf(source, 'minSelected'), settingOf(source, 'maxSelected')]
  if (most === 0) errors.add(placeOf(pointer, source, 'maxSelected'), 'too_small', { min: 1 })
  if (typeof least !== 'number') return
  const at = placeOf(pointer, source, 'minSelected')
  if (typeof most === 'number' && least > most)
    errors.add(at, 'too_large', { max: most }, 'must not be greater than maxSelected')
  const count = arrayOf(given).length
  if (least > count) errors.add(at, 'too_large', { max: count }, 'must not be greater than the number of choices')
}

function checkBoolean(errors: FieldErrors, pointer: string, source: Json): void {
  const given = arrayOf(settingOf(source, 'choices')).length
  if (given !== 0 && given !== 2)
    errors.add(
      placeOf(pointer, source, 'choices'),
      'invalid_structure',
      {},
      'must have two choices, or none for yes and no',
    )
}
