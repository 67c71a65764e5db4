import { describe, expect, test } from '@jest/globals'
import { parsePastedAddresses } from '../../src/domain/contact/pasted-addresses.ts'
import type { Problem } from '../../src/domain/problem.ts'

const ann = { name: 'Ann Example', email: 'ann@example.org' }

describe('parsePastedAddresses', () => {
  test.each([
    ['ann@example.org', [{ name: '', email: 'ann@example.org' }]],
    ['Ann Example <ann@example.org>', [ann]],
    ['Ann Example,ann@example.org', [ann]],
    ['Ann Example\tann@example.org', [ann]],
    ['Ann Example <ann@example.org>, Bob <bob@example.org>;', [ann, { name: 'Bob', email: 'bob@example.org' }]],
    ['"Example, Ann" <ann@example.org>', [{ name: 'Example, Ann', email: 'ann@example.org' }]],
    ['Ann Example, ann@example.org, Bob <bob@example.org>', [ann, { name: 'Bob', email: 'bob@example.org' }]],
    ['\r\nann@example.org\r\n\r\nAnn Example <ANN@example.org>', [{ name: 'Ann Example', email: 'ANN@example.org' }]],
  ])('parses %j', (text, people) => expect(parsePastedAddresses(text, 'addresses')).toEqual(people))

  test('reports an empty list, too many addresses, and the line of each invalid address', () => {
    const errorsOf = (text: string) => {
      try {
        return parsePastedAddresses(text, 'addresses')
      } catch (error) {
        return (error as Problem).errors.map(({ field, message }) => `${field}: ${message}`)
      }
    }
    expect(errorsOf('ann@example.org\nAnn; bob@')).toEqual([
      'addresses: line 2: “Ann” is not an email address',
      'addresses: line 2: “bob@” is not an email address',
    ])
    expect(errorsOf('bob@, ann@example.org')).toEqual([
      'addresses: line 1: “bob@, ann@example.org” is not an email address',
    ])
    expect(errorsOf('a,'.repeat(500_000))).toEqual([expect.stringContaining('is not an email address')])
    expect(errorsOf(' \n')).toEqual(['addresses: must have at least one address'])
    const many = Array.from({ length: 1001 }, (_, index) => `p${index}@example.org`).join('\n')
    expect(errorsOf(many)).toEqual(['addresses: must have at most 1000 addresses; import a file instead'])
  })
})
