import { describe, expect, test } from '@jest/globals'
import { type ChangeSummary, summarizeChange } from '../../../src/domain/structure/diff.ts'
import { normaliseStructure, type Structure } from '../../../src/domain/structure/structure.ts'
import { single, survey, text } from './sample.ts'

const whole = (pages: Parameters<typeof survey>[0], more = {}) => normaliseStructure(survey(pages, more))
const before = whole([[text('a'), single('b')], [text('c')]])

describe('summarizeChange', () => {
  test.each<[string, Partial<ChangeSummary>, Structure]>([
    ['no change', {}, whole([[text('a'), single('b')], [text('c')]])],
    [
      'an added question',
      { added: 1 },
      whole([
        [text('a'), single('b')],
        [text('c'), text('d')],
      ]),
    ],
    [
      'two added questions and a removed question',
      { added: 2, removed: 1 },
      whole([
        [text('a'), single('b')],
        [text('d'), text('e')],
      ]),
    ],
    ['a changed question', { changed: 1 }, whole([[text('a', { required: true }), single('b')], [text('c')]])],
    [
      'a changed choice',
      { changed: 1 },
      whole([[text('a'), single('b', { choices: [{ label: 'Blue' }] })], [text('c')]]),
    ],
    ['a changed title', { parts: ['title'] }, whole([[text('a'), single('b')], [text('c')]], { title: 'Another' })],
    [
      'a changed description and changed quotas',
      { parts: ['description', 'quotas'] },
      whole([[text('a'), single('b')], [text('c')]], {
        description: 'x',
        quotas: [{ name: 'n', limit: 1, action: 'close' }],
      }),
    ],
    ['a question on another page', { changed: 1, parts: ['pages'] }, whole([[text('a'), single('b'), text('c')]])],
    [
      'another changed member',
      { parts: ['others'] },
      whole([[text('a'), single('b')], [text('c')]], { colour: 'red' }),
    ],
    ['another order', { parts: ['order'] }, whole([[single('b'), text('a')], [text('c')]])],
  ])('returns a summary of %s', (_, summary, after) => {
    expect(summarizeChange(before, after)).toEqual({ added: 0, removed: 0, changed: 0, parts: [], ...summary })
  })
})
