import { describe, expect, it } from '@jest/globals'
import { valueError } from '../../../src/domain/field-error.ts'
import { answerError } from '../../../src/domain/structure/answer-error.ts'
import { readAnswers } from '../../../src/domain/structure/answers.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { validateAnswers } from '../../../src/domain/structure/validate-answers.ts'
import { languages, textsFor, translateError } from '../../../src/web/i18n/locales.ts'
import { pageOf, single, text } from '../surveys.ts'

const others = Object.entries(languages).filter(([code]) => code !== 'en')
const choices = (type: string, more: object) => [
  { type, choices: [{ label: 'A' }, { label: 'B' }, { label: 'C', exclusive: true }], ...more },
]

/** A survey that can be answered wrongly in every way there is, and such answers. */
const q = compile(
  normaliseStructure({
    title: 'T',
    form: [
      pageOf(
        text('required', { required: true }),
        single('single', ['A']),
        single('twice', ['A', 'B']),
        ...['email', 'integer', 'number', 'url', 'phone', 'letters'].map((kind) =>
          text(kind, { validation: { kind } }),
        ),
        text('low', { validation: { min: -2.5 } }),
        text('high', { validation: { max: 10 } }),
        text('short', { validation: { minLength: 3 } }),
        text('long', { validation: { maxLength: 3 } }),
        ...['datetime', 'date', 'time'].map((format) => ({
          idname: 'datetime',
          id: format,
          children: [{ type: 'datetime', format }],
        })),
        { idname: 'multiple-choice', id: 'few', children: choices('multiple', { minSelected: 2 }) },
        { idname: 'multiple-choice', id: 'many', children: choices('multiple', { maxSelected: 1 }) },
        { idname: 'multiple-choice', id: 'alone', children: choices('multiple', {}) },
        { idname: 'ranking', id: 'rank', children: choices('ranking', {}) },
      ),
    ],
  }),
)

const wrong = {
  single: '"quoted" 7',
  twice: ['0', '1'],
  email: 'x',
  integer: 'x',
  number: 'x',
  url: 'x',
  phone: 'x',
  letters: '1',
  low: '-3',
  high: '11',
  short: 'x',
  long: 'xxxx',
  datetime: 'x',
  date: 'x',
  time: 'x',
  few: ['0'],
  many: ['0', '1'],
  alone: ['0', '2'],
  rank: ['0', '0'],
}

const { answers, errors } = readAnswers(q, wrong, 'strict')
const all = [...errors, ...validateAnswers(q, answers)]

describe('translateError', () => {
  it('meets an error for every wrong answer', () => {
    expect(all).toHaveLength(Object.keys(wrong).length + 1)
  })

  it.each(Object.entries(languages))('has a text in %s for each of them', (_, words) => {
    expect(all.filter((error) => !translateError(error, words).translated)).toEqual([])
  })

  it.each(Object.entries(languages))('fills in every parameter in %s', (_, words) => {
    const texts = all.map((error) => translateError(error, words).text)
    expect(texts.filter((text) => text.includes('{'))).toEqual([])
  })

  it('fills in the parameters of an error', () => {
    expect(translateError(answerError('too_small', { min: -2.5 }), languages.fr!).text).toBe(
      'Saisissez un nombre supérieur ou égal à -2.5.',
    )
    expect(translateError(answerError('too_many', { max: 3 }), languages.de!).text).toBe(
      'Bitte wählen Sie höchstens 3 aus.',
    )
  })

  it('keeps the message of the author', () => {
    expect(translateError(valueError('invalid_answer', {}, 'Use 4 digits.'), languages.de!)).toEqual({
      text: 'Use 4 digits.',
      translated: false,
    })
  })
})

describe('words', () => {
  it.each(others)('in %s keep the places for values', (_, words) => {
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
    for (const [name, english] of Object.entries(languages.en!)) {
      if (typeof english !== 'string') continue
      expect([name, places(String(words[name as keyof typeof words]))]).toEqual([name, places(english)])
    }
  })

  it('are those of the language, of its base, else English', () => {
    expect(textsFor('fr-CA').words.next).toBe('Suivant')
    expect(textsFor('xx')).toEqual({ words: languages.en, spoken: 'en' })
  })
})
