import type { Operation } from './operation.ts'

export const getIndex: Operation<'getIndex'> = async ({ context }) => {
  const at = (collection: string) => `${context.site.baseUrl}/api/v3/${collection}/`
  return {
    status: 200,
    body: {
      templates: at('templates'),
      surveys: at('surveys'),
      collectors: at('collectors'),
      contacts: at('contacts'),
      embeds: at('embeds'),
      'contact-lists': at('contact-lists'),
      webhooks: at('webhooks'),
    },
  }
}
