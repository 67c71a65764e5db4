import { describe, expect, it } from '@jest/globals'
import { valueError } from '../../../src/domain/field-error.ts'
import { answerError } from '../../../src/domain/structure/answer-error.ts'
import { compile } from '../../../src/domain/structure/compile.ts'
import { parseAnswers } from '../../../src/domain/structure/parse-answers.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { validateAnswers } from '../../../src/domain/structure/validate-answers.ts'
import { languages, textsFor } from '../../../src/domain/text/catalog.ts'
import type { Texts } from '../../../src/domain/text/texts.ts'
import { fill, mainForm, type PluralText, type Text } from '../../../src/lib/texts.ts'
import { translateError } from '../../../src/web/i18n/i18n.ts'
import { pageOf, single, text } from '../../support/surveys.ts'

const translations = Object.entries(languages).filter(([code]) => code !== 'en')
const choices = (type: string, more: object) => [
  { type, choices: [{ label: 'A' }, { label: 'B' }, { label: 'C', exclusive: true }], ...more },
]

/** A survey with a question for each error that is tested. `invalidAnswers` causes these errors. */
const questionnaire = compile(
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

const invalidAnswers = {
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

const { answers, errors } = parseAnswers(questionnaire, invalidAnswers, 'strict')
const allErrors = [...errors, ...validateAnswers(questionnaire, answers)]

describe('translateError', () => {
  it('gets an error for every invalid answer of this test', () => {
    expect(allErrors).toHaveLength(Object.keys(invalidAnswers).length + 1)
  })

  it.each(Object.entries(languages))('returns a text in %s for each error', (code, words) => {
    expect(allErrors.filter((error) => translateError(error, words, code).template === undefined)).toEqual([])
  })

  it.each(Object.entries(languages))('replaces every parameter in %s', (code, words) => {
    const texts = allErrors.map((error) => translateError(error, words, code).text)
    expect(texts.filter((text) => text.includes('{'))).toEqual([])
  })

  it('replaces the parameters of an error', () => {
    expect(translateError(answerError('too_small', { min: -2.5 }), languages.fr!, 'fr').text).toBe(
      'Saisissez un nombre supérieur ou égal à -2,5.',
    )
    expect(translateError(answerError('too_many', { max: 3 }), languages.de!, 'de').text).toBe(
      'Bitte wählen Sie höchstens 3 aus.',
    )
  })

  it('returns the message of the author unchanged', () => {
    expect(translateError(valueError('invalid_answer', {}, 'Use 4 digits.'), languages.de!, 'de')).toEqual({
      text: 'Use 4 digits.',
    })
  })
})

describe('textsFor', () => {
  const allTexts = ({ errors, ...others }: Texts) => Object.entries<Text>({ ...others, ...errors })
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
  const pluralsOf = (texts: Texts) => allTexts(texts).filter(([, text]) => typeof text !== 'string')

  it.each(translations)('is complete in %s, with the placeholders of the English texts', (_, texts) => {
    const english = new Map(allTexts(languages.en!))
    expect(
      allTexts(texts)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...english.keys()].sort())
    for (const [name, text] of allTexts(texts)) {
      expect([name, mainForm(text).trim()]).not.toEqual([name, ''])
      expect([name, placeholders(mainForm(text))]).toEqual([name, placeholders(mainForm(english.get(name)!))])
    }
  })

  it.each(Object.entries(languages))('has a form for every plural category of whole numbers in %s', (code, texts) => {
    const rules = new Intl.PluralRules(code)
    const numbers = Array.from({ length: 201 }, (_, number) => number)
    for (const [name, text] of pluralsOf(texts)) {
      const { by, forms, rules: own } = text as PluralText
      expect([name, own.resolvedOptions().locale]).toEqual([name, code])
      // A form for a single number, such as the Arabic dual, can write the number as a word.
      for (const [category, form] of Object.entries(forms))
        if (numbers.filter((number) => rules.select(number) === category).length !== 1)
          expect([name, category, form.includes(`{${by}}`)]).toEqual([name, category, true])
      const missing = numbers.filter((number) => !(rules.select(number) in forms))
      expect([name, missing]).toEqual([name, []])
    }
  })

  it('inflects the nouns after numbers', () => {
    const tooLong = (code: string, max: number) => fill(languages[code]!.errors.too_long, { max })
    expect(tooLong('en', 1)).toBe('Enter no more than 1 character.')
    expect([1, 2, 5, 22].map((max) => tooLong('pl', max))).toEqual([
      'Wpisz najwyżej 1 znak.',
      'Wpisz najwyżej 2 znaki.',
      'Wpisz najwyżej 5 znaków.',
      'Wpisz najwyżej 22 znaki.',
    ])
    expect([21, 22, 25].map((max) => tooLong('uk', max))).toEqual([
      'Введіть щонайбільше 21 символ.',
      'Введіть щонайбільше 22 символи.',
      'Введіть щонайбільше 25 символів.',
    ])
    expect([1, 2, 3, 11].map((max) => tooLong('ar', max))).toEqual([
      'أدخل حرفًا واحدًا على الأكثر.',
      'أدخل حرفين على الأكثر.',
      'أدخل 3 أحرف على الأكثر.',
      'أدخل 11 حرفًا على الأكثر.',
    ])
  })

  it('marks texts for readers of traditional Chinese as simplified', () => {
    expect(textsFor('zh-TW')).toMatchObject({ texts: languages.zh, language: 'zh-Hans' })
    expect(textsFor('zh-CN').language).toBe('zh-CN')
  })

  it('returns the texts of the language, of its base language, or else in English', () => {
    expect(textsFor('fr-CA').texts.next).toBe('Suivant')
    expect(textsFor('xx')).toMatchObject({ texts: languages.en, language: 'en' })
  })
})
