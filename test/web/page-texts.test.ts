import { describe, expect, it, test } from '@jest/globals'
import { catalogs } from '../../src/web/i18n/catalog.ts'
import { findSegments, sourceOf, translateTemplate } from '../../src/web/i18n/rewrite-template.ts'
import { TextFolder } from '../../tools/texts/catalogue.ts'
import { findUntranslatable } from '../../tools/texts/collect.ts'

const folder = new TextFolder('src/texts')

describe('the texts of the service', () => {
  test.each(Object.keys(folder.names))('are complete in %s, with the placeholders of the English texts', (language) => {
    expect(folder.faults(language)).toEqual([])
  })

  it('have every plural form of the languages of owner pages', () => {
    for (const [language, { plurals }] of Object.entries(catalogs)) {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      for (const forms of plurals.values()) expect(Object.keys(forms).sort()).toEqual([...pluralCategories].sort())
    }
  })
})

describe('sources of the pages of owners', () => {
  it('contain no sentence outside templates and calls of the function `t`', () => {
    expect(findUntranslatable()).toEqual([])
  })
})

describe('segments of a template', () => {
  const of = (strings: TemplateStringsArray, ..._values: unknown[]) => strings
  const segments = (strings: TemplateStringsArray) => findSegments(sourceOf(strings)).map(({ text }) => text)

  it('keep inline elements within a sentence', () => {
    expect(segments(of`<p>Use <a href="${1}">an API key</a>. You have ${2} keys.</p>`)).toEqual([
      'Use <0>an API key</0>. You have {0} keys.',
    ])
  })

  it('end at block elements, and between elements that have no text between them', () => {
    expect(segments(of`<h2>Details</h2><p><a href="/a/">Edit</a> <a href="/b/">${1}Delete</a></p>`)).toEqual([
      'Details',
      'Edit',
      'Delete',
    ])
  })

  it('include attributes that users read, and no other attributes', () => {
    expect(segments(of`<button class="Small" aria-label="Remove ${1}" title="Remove">${2}</button>`)).toEqual([
      'Remove {0}',
      'Remove',
    ])
    expect(segments(of` class="Card" required`)).toEqual([])
  })
})

describe('translation of a template', () => {
  const translations = new Map([
    ['Sign out {0}, {1}', '{1}: {0} abmelden'],
    ['Use <0>a key</0> for {0}', 'Für {0} nehmen Sie <0>einen Schlüssel</0>'],
  ])
  const translate = (strings: TemplateStringsArray, ..._values: unknown[]) =>
    translateTemplate(strings, (text) => translations.get(text))

  it('moves values and elements to their places in the translation', () => {
    const { strings, order } = translate`<p class="x">Use <a href="${'address'}">a key</a> for ${'name'}</p>`!
    expect([...strings]).toEqual(['<p class="x">Für ', ' nehmen Sie <a href="', '">einen Schlüssel</a></p>'])
    expect(order).toEqual([1, 0])
  })

  it('translates attributes', () => {
    const { strings, order } = translate`<button aria-label="Sign out ${'browser'}, ${'address'}"></button>`!
    expect([...strings]).toEqual(['<button aria-label="', ': ', ' abmelden"></button>'])
    expect(order).toEqual([1, 0])
  })

  it('leaves a template without a translation as it is', () => {
    expect(translate`<p>Another text</p>`).toBeUndefined()
  })
})
