import { expect, test } from '@jest/globals'
import { attachment } from '../../src/api/attachment.ts'

test.each([
  ['customer-feedback.csv', 'attachment; filename="customer-feedback.csv"'],
  ['été "1".csv', `attachment; filename="_t_ _1_.csv"; filename*=UTF-8''%C3%A9t%C3%A9%20%221%22.csv`],
  ["it's*.csv", `attachment; filename="it_s_.csv"; filename*=UTF-8''it%27s%2A.csv`],
  ['a\r\nb.csv', `attachment; filename="a__b.csv"; filename*=UTF-8''a%0D%0Ab.csv`],
  ['\ud800.csv', `attachment; filename="_.csv"; filename*=UTF-8''%EF%BF%BD.csv`],
])('attachment encodes the file name %j by RFC 6266', (name, header) => expect(attachment(name)).toBe(header))
