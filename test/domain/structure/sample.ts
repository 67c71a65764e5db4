import { checkStructure } from '../../../src/domain/structure/check.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import type { Questionnaire } from '../../../src/domain/structure/questionnaire.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'

type Json = Record<string, unknown>

/** Returns a structure with these pages, each an array of questions. */
export const survey = (pages: Json[][], more: Json = {}): Json => ({
  title: 'Sample',
  form: pages.map((children) => ({ type: 'page', children })),
  ...more,
})

/**
 * Checks and compiles a structure, as the service does.
 * @throws Error for an invalid structure
 */
export function compiled(structure: unknown): Questionnaire {
  const errors = checkStructure(structure)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return compile(normaliseStructure(structure))
}

export const ask = (idname: string, id: string, option: Json = {}, more: Json = {}): Json => ({
  idname,
  id,
  title: `Title of ${id}`,
  children: [option],
  ...more,
})

export const choices = (...labels: (string | Json)[]): Json => ({
  choices: labels.map((label) => (typeof label === 'string' ? { label } : label)),
})

export const text = (id: string, option: Json = {}, more: Json = {}) => ask('text-response', id, option, more)
export const single = (id: string, option: Json = {}, more: Json = {}) =>
  ask('single-choice', id, { ...choices('Red', 'Green', 'Blue'), ...option }, more)
export const multi = (id: string, option: Json = {}, more: Json = {}) =>
  ask('multiple-choice', id, { ...choices('Tea', 'Coffee', 'Water'), ...option }, more)
export const grid = (id: string, more: Json = {}): Json => ({
  idname: 'single-choice-grid',
  id,
  title: `Title of ${id}`,
  ...choices('Bad', 'Fair', 'Good'),
  children: [
    { type: 'single', label: 'Food' },
    { type: 'single', label: 'Room' },
  ],
  ...more,
})

/** Returns the questionnaire of a survey on two pages, with questions of most kinds and one of an unknown kind. */
export const everything = () =>
  compiled(
    survey([
      [
        ask('section-separator', 'intro', {}, { children: [] }),
        text('name', {}, { identifier: 'full_name' }),
        single('colour', choices('Red', 'Green', { label: 'Other', other: true }), { identifier: 'hue' }),
        multi('drinks'),
        ask('dropdown-choice', 'size', choices('S', 'M', 'L')),
        ask('boolean-choice', 'again'),
      ],
      [
        ask('datetime', 'when'),
        ask('datetime', 'day', { format: 'date' }),
        ask('datetime', 'hour', { format: 'time' }),
        ask('hidden-field', 'source', { default: 'web' }),
        ask('ranking', 'order', choices('One', 'Two', 'Three')),
        grid('rate'),
        { idname: 'text-response-grid', id: 'notes', children: [{ label: 'Morning' }, { label: 'Evening' }] },
        { ...grid('level'), idname: 'dropdown-grid', children: [{ type: 'dropdown', label: 'Noise' }] },
        ask('net-promoter', 'nps'),
        ask('star-map', 'odd'),
      ],
    ]),
  )
