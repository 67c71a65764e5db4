import { describe, expect, test } from '@jest/globals'
import { structureSchema } from '../../../src/domain/structure/schema.ts'
import { suggestionsAt } from '../../../src/web/assets/editor/completions.ts'

/** Returns the suggestions at the `^` of a text. */
function at(marked: string) {
  const offset = marked.indexOf('^')
  const text = marked.replace('^', '')
  const {
    from,
    to,
    suggestions: offers,
  } = suggestionsAt(structureSchema, text, offset) ?? { from: 0, to: 0, suggestions: [] }
  return { labels: offers.map(({ label }) => label), offers, replaced: text.slice(from, to) }
}

describe('the suggestions of the editor', () => {
  test('list missing members', () => {
    const displayOptions = ['firstPageTitleDescription', 'languageDisplayStyle', 'jumping']
    expect(at('{ "title": "x", ^ }').labels).toEqual(['description', 'languages', 'form', 'quotas', ...displayOptions])
    expect(at('{ "ti^" }')).toMatchObject({ replaced: '"ti"', labels: expect.arrayContaining(['title']) })
    expect(at('{ "form": [{ "type": "page", "children": [{ "^" }] }] }').labels).toEqual(
      expect.arrayContaining(['idname', 'id', 'title', 'condition']),
    )
  })

  test('insert a member with an empty value, and a comma before another member', () => {
    const find = (marked: string, name: string) => at(marked).offers.find(({ label }) => label === name)?.insert
    expect(find('{ ^ }', 'title')).toBe('"title": "|"')
    expect(find('{ ^\n"title": "x" }', 'form')).toBe('"form": [|],')
    expect(find('{ "fo^": [] }', 'form')).toBe('"form"')
  })

  test('list question types and the members of each type', () => {
    const children = (inner: string) => `{ "form": [{ "type": "page", "children": [${inner}] }] }`
    expect(at(children('{ "idname": "^" }')).labels).toContain('single-choice-grid')
    expect(at(children('{ "idname": "datetime", "children": [{ "^" }] }')).labels).toEqual([
      'type',
      'required',
      'format',
      'earliest',
      'latest',
    ])
    expect(at(children('{ "idname": "datetime", "children": [{ "format": ^ }] }')).labels).toEqual([
      'datetime',
      'date',
      'time',
    ])
    expect(
      at(children('{ "idname": "text-response", "children": [{ "validation": { "kind": "^" } }] }')).labels,
    ).toContain('email')
    expect(at(children('{ "idname": "single-choice-grid", "children": [{ "^" }] }')).labels).toEqual([
      'type',
      'label',
      'required',
      'code',
      'uid',
    ])
  })

  test('list whole questions and pages where they are allowed', () => {
    expect(at('{ "form": [^] }').labels.slice(0, 2)).toEqual(['page', 'section-separator'])
    const [first] = at('{ "form": [{ "children": [^] }] }').offers.filter(({ label }) => label === 'text-response')
    expect(first?.insert.replace('|', '')).toBe(
      JSON.stringify({ idname: 'text-response', title: '', children: [{ type: 'string' }] }, null, 2),
    )
  })

  test('insert a question with the commas around it', () => {
    const find = (inner: string) =>
      at(`{ "form": [{ "children": [${inner}] }] }`)
        .offers.find(({ label }) => label === 'ranking')
        ?.insert.replace(/\{[\s\S]*\}/, '{}')
    expect(find('^')).toBe('{}')
    expect(find('^ { "idname": "ranking" }')).toBe('{},')
    expect(find('{ "idname": "ranking" } ^')).toBe(', {}')
    expect(find('{ "idname": "ranking" }, ^')).toBe('{}')
  })

  test('list question IDs, booleans, and the keywords of rules', () => {
    const rule = (inner: string) =>
      `{ "form": [{ "children": [{ "idname": "ranking", "id": "a" }, { "idname": "ranking", "id": "b", "condition": { "all": [{ ${inner} }] } }] }] }`
    expect(at(rule('"question": "^"')).labels).toEqual(['a', 'b'])
    expect(at(rule('"question": "a", "op": "^"')).labels).toContain('unanswered')
    expect(at('{ "languages": [{ "isDefault": ^ }] }').labels).toEqual(['true', 'false'])
    expect(at('{ "form": [{ "skip": [{ "to": ^ }] }] }').labels).toEqual(['complete', 'terminate'])
  })

  test('are empty where the schema defines neither members nor values', () => {
    expect(at('{ "colour": "^" }').labels).toEqual([])
    expect(at('{ "title": { "en": "^" } }').labels).toEqual([])
    expect(at('^').labels).toEqual([])
  })
})
