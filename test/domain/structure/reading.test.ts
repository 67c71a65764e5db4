import { describe, expect, test } from '@jest/globals'
import { variablesOf } from '../../../src/domain/structure/meta-fields.ts'
import { matchingQuotas } from '../../../src/domain/structure/quota.ts'
import { shuffle } from '../../../src/domain/structure/randomize.ts'
import { scoreOf } from '../../../src/domain/structure/score.ts'
import { labelOf, pipe, renderPlaceholders, textIn } from '../../../src/domain/structure/text.ts'
import { choices, compiled, everything, single, survey } from './sample.ts'

const q = everything()

describe('scoreOf [spec 6.6]', () => {
  test('sums the scores of selected choices, including grids', () => {
    expect(scoreOf(q, { colour: 1, drinks: [0, 2], rate_0: 2, rate_1: 0, nps: 9 })).toBe(2 + 4 + 3 + 1 + 9)
    expect(scoreOf(q, { again: true })).toBe(1)
    expect(scoreOf(q, { again: false, nps: 0 })).toBe(0)
  })
  test('returns null if no question with a score is answered', () => {
    expect(scoreOf(q, {})).toBeNull()
    expect(scoreOf(q, { name: 'x', order: [1, 0], 'colour\\other': 'x', drinks: [], gone: 4 })).toBeNull()
  })
})

describe('textIn', () => {
  const text = { en: 'Hello', fr: 'Bonjour', de: '' }
  test.each([
    ['fr', 'Bonjour'],
    ['fr-CA', 'Bonjour'],
    ['de', 'Hello'],
    ['xx', 'Hello'],
    ['constructor', 'Hello'],
    ['', 'Hello'],
  ])('returns the text in %s: %s', (language, expected) => expect(textIn(text, language, q)).toBe(expected))
  test('returns the text in another language if there is no text in the default language', () => {
    expect(textIn({ it: 'Ciao' }, 'fr', q)).toBe('Ciao')
    expect(textIn({}, 'fr', q)).toBe('')
  })
})

describe('labelOf', () => {
  const label = (key: string, value: never | string | number | boolean | number[], language = 'en') =>
    labelOf(q.byKey.get(key)!, value, language, q)
  test('returns a label for every kind of value', () => {
    expect(label('colour', 1)).toBe('Green')
    expect(label('drinks', [0, 2])).toBe('Tea, Water')
    expect(label('order', [2, 0])).toBe('Three, One')
    expect(label('rate_0', 2)).toBe('Good')
    expect(label('nps', 7)).toBe('7')
    expect(label('name', 'Ada')).toBe('Ada')
    expect(label('day', '2024-01-01')).toBe('2024-01-01')
    expect(label('colour', 9)).toBe('9')
  })
  test.each([
    ['en', 'Yes', 'No'],
    ['fr', 'Oui', 'Non'],
    ['de', 'Ja', 'Nein'],
    ['es', 'Sí', 'No'],
    ['it', 'Sì', 'No'],
    ['nl', 'Ja', 'Nee'],
    ['pt', 'Sim', 'Não'],
    ['xx', 'Yes', 'No'],
  ])('returns the labels of yes and no in the language %s', (language, yes, no) =>
    expect([label('again', true, language), label('again', false, language)]).toEqual([yes, no]),
  )
})

describe('pipe [spec 6.13]', () => {
  const answers = { name: '{{ colour }} <b>', colour: 1, drinks: [0, 1], rate_0: 2, again: true }
  const piped = (text: string, more = {}) =>
    pipe(text, { q, answers, language: 'en', invite: { name: 'Ada' }, ...more })
  test.each([
    ['You like {{ colour }}.', 'You like Green.'],
    ['{{hue}} {{ drinks }}', 'Green Tea, Coffee'],
    ['{{ rate_0 }} / {{ rate }}', 'Good / Good'],
    ['{{ invite.name }}', 'Ada'],
    ['{{ invite.toString }}{{ toString }}{{ nothing }}|', '|'],
    ['{{ name }}', '{{ colour }} <b>'],
    ['{{ }} {{{colour}}} { {colour} }', ' {Green} { {colour} }'],
    ['plain', 'plain'],
  ])('replaces the placeholders of %s', (text, expected) => expect(piped(text)).toBe(expected))
  test('inserts the text of an “other” choice', () => {
    expect(piped('{{ colour }}', { answers: { colour: 2, 'colour\\other': 'Teal' } })).toBe('Teal')
    expect(piped('{{ colour }}', { answers: { colour: 2 } })).toBe('Other')
    expect(piped('{{ colour }}', { answers: { colour: 1, 'colour\\other': 'Teal' } })).toBe('Green')
  })
  test('handles 50,000 opening braces within 10 seconds', () => {
    const began = performance.now()
    piped('{{ '.repeat(50_000))
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

describe('renderPlaceholders [spec 6.13]', () => {
  const twoQuestions = compiled(
    survey([
      [
        { idname: 'text-response', id: 'a', identifier: 'who', title: { en: 'Your name?', fr: 'Votre nom ?' } },
        { idname: 'text-response', id: 'b', title: 'Why, {{ a }}, and why with such a long title?' },
        { idname: 'text-response-grid', id: 'g', title: 'Grid', children: [{ type: 'string', label: 'Row' }] },
        { idname: 'text-response', id: 'c' },
      ],
    ]),
  )
  const named = (text: string, language = 'en') => renderPlaceholders(text, { q: twoQuestions, language })
  test.each([
    ['Hello {{ a }}!', 'Hello ‹Your name?›!'],
    ['{{who}}', '‹Your name?›'],
    ['{{ b }}', '‹Why, …, and why with such a long title?›'],
    ['{{ g }} {{ g_0 }}', '‹Grid› ‹Row›'],
    ['{{ c }} {{ invite.city }} {{ nothing }}', '‹c› ‹city› ‹nothing›'],
    ['plain { }', 'plain { }'],
  ])('renders %s', (text, expected) => expect(named(text)).toBe(expected))
  test('uses titles in the given language', () => expect(named('{{ a }}', 'fr')).toBe('‹Votre nom ?›'))
})

describe('matchingQuotas', () => {
  test('returns quotas whose condition holds and quotas without a condition', () => {
    const quota = { limit: 1, action: 'complete' }
    const when = { all: [{ question: 'a', op: 'eq', value: 'Red' }] }
    const own = compiled(
      survey([[single('a')]], {
        quotas: [
          { ...quota, name: 'red', when },
          { ...quota, name: 'all' },
        ],
      }),
    )
    expect(matchingQuotas(own, { a: 0 }).map(({ name }) => name)).toEqual(['red', 'all'])
    expect(matchingQuotas(own, { a: 1 }).map(({ name }) => name)).toEqual(['all'])
  })
})

describe('shuffle', () => {
  const items = Array.from({ length: 20 }, (_, index) => index)
  test('returns the same order for the same seed, and another order for another seed', () => {
    expect(shuffle(items, 'a')).toEqual(shuffle(items, 'a'))
    expect(shuffle(items, 'a')).not.toEqual(shuffle(items, 'b'))
    expect(shuffle(items, 'a').sort((a, b) => a - b)).toEqual(items)
  })
  test('puts each item first about equally often', () => {
    const firsts = Array.from({ length: 3000 }, (_, seed) => shuffle([0, 1, 2], `s${seed}`)[0])
    for (const item of [0, 1, 2])
      expect(Math.abs(firsts.filter((first) => first === item).length - 1000)).toBeLessThan(150)
  })
  test('keeps choices with `other` or `exclusive` last', () => {
    const own = compiled(
      survey([[single('a', choices({ label: 'None', exclusive: true }, 'A', 'B', { label: 'O', other: true }, 'C'))]]),
    )
    for (const seed of ['a', 'b', 'c'])
      expect(
        shuffle(own.byId.get('a')!.choices, seed)
          .slice(-2)
          .map(({ index }) => index),
      ).toEqual([0, 3])
  })
})

describe('variablesOf', () => {
  const variables = variablesOf(q, 'en')
  test('lists the 17 metadata fields in order, then the response keys', () => {
    expect(Object.keys(variables)).toEqual([
      ...'_completed _id _updated_at _created_at _language _ip_address _locale _username _get_variables _referrer _saves _weighted_score _completion_time _invite_code _invite_email _invite_name _collector'.split(
        ' ',
      ),
      ...q.fields.map(({ key }) => key),
    ])
    expect(variables._completed).toEqual({
      type: 'single',
      label: 'Status',
      choices: ['Incomplete', 'Complete', 'Terminated'],
    })
  })
  test('returns the type, the label and the choices of each variable', () => {
    expect(variables.colour).toEqual({ type: 'single', label: 'Title of colour', choices: ['Red', 'Green', 'Other'] })
    expect(variables['colour\\other']).toEqual({ type: 'string', label: 'Title of colour (other)' })
    expect(variables.rate_1).toEqual({
      type: 'single',
      label: 'Title of rate [Room]',
      choices: ['Bad', 'Fair', 'Good'],
    })
    expect(variables.again).toMatchObject({ type: 'boolean', choices: ['Yes', 'No'] })
    expect(variables.source).toEqual({ type: 'hidden', label: 'Title of source' })
    expect(variables.nps).toEqual({ type: 'number', label: 'Title of nps' })
    expect(new Set(Object.values(variables).map(({ type }) => type))).toEqual(
      new Set(['string', 'single', 'multi', 'boolean', 'datetime', 'hidden', 'ranking', 'number']),
    )
  })
})
