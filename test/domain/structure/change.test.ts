import { describe, expect, test } from '@jest/globals'
import { describeChange } from '../../../src/domain/structure/change.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { single, survey, text } from './sample.ts'

const whole = (pages: Parameters<typeof survey>[0], more = {}) => normaliseStructure(survey(pages, more))
const before = whole([[text('a'), single('b')], [text('c')]])

describe('describeChange', () => {
  test.each([
    ['nothing changed', whole([[text('a'), single('b')], [text('c')]])],
    [
      '1 question added',
      whole([
        [text('a'), single('b')],
        [text('c'), text('d')],
      ]),
    ],
    [
      '2 questions added, 1 question removed',
      whole([
        [text('a'), single('b')],
        [text('d'), text('e')],
      ]),
    ],
    ['1 question changed', whole([[text('a', { required: true }), single('b')], [text('c')]])],
    ['1 question changed', whole([[text('a'), single('b', { choices: [{ label: 'Blue' }] })], [text('c')]])],
    ['title changed', whole([[text('a'), single('b')], [text('c')]], { title: 'Another' })],
    [
      'description changed, quotas changed',
      whole([[text('a'), single('b')], [text('c')]], {
        description: 'x',
        quotas: [{ name: 'n', limit: 1, action: 'close' }],
      }),
    ],
    ['1 question changed, pages changed', whole([[text('a'), single('b'), text('c')]])],
    ['other members changed', whole([[text('a'), single('b')], [text('c')]], { colour: 'red' })],
    ['order changed', whole([[single('b'), text('a')], [text('c')]])],
  ])('returns “%s”', (line, after) => {
    expect(describeChange(before, after)).toBe(line)
  })
})
