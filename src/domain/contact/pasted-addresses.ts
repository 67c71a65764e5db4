import type { Context } from '../context.ts'
import { MAX_SENDER_CHARACTERS, parseSender } from '../email-address.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { createContact, nameError } from './commands.ts'

/** Maximum number of pasted addresses. The error for longer lists suggests importing a file. */
const MAX_PEOPLE = 1000
const MAX_ERRORS = 20

/** A pasted person. The name is empty if only the address was pasted. */
interface PastedAddress {
  name: string
  email: string
}

/**
 * Parses pasted addresses, separated by line breaks, semicolons, commas or tabs. Each is `ann@example.org`, `Ann
 * Example <ann@example.org>` or `Ann Example, ann@example.org`. Duplicates are removed.
 * @param field the form field, for errors
 * @throws {Problem} `invalid_request` for invalid entries (with an error for each of the first 20), for an empty list,
 *   or for too many addresses
 */
export function parsePastedAddresses(text: string, field: string): PastedAddress[] {
  const errors: FieldError[] = []
  const people = new Map<string, PastedAddress>()
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    for (const piece of line.split(';').map((part) => part.trim())) {
      if (!piece) continue
      const parsed = readPiece(piece)
      if (!parsed)
        errors.push(
          fieldError(
            field,
            'invalid_email',
            {},
            detail('pasted_address', { line: index + 1, value: piece.slice(0, 80) }),
          ),
        )
      for (const person of parsed ?? []) {
        const error = person.name && nameError(person.name)
        if (error) errors.push({ ...error, field, message: `line ${index + 1}: the name ${error.message}` })
        const earlier = people.get(person.email.toLowerCase())
        if (!earlier?.name) people.set(person.email.toLowerCase(), person)
      }
    }
  }
  if (errors.length) throw problems.invalid(errors.slice(0, MAX_ERRORS))
  if (!people.size) throw problems.invalidField(field, 'too_few', { min: 1 }, detail('pasted_addresses'))
  if (people.size > MAX_PEOPLE)
    throw problems.invalidField(
      field,
      'too_many',
      { max: MAX_PEOPLE },
      detail('too_many_addresses', { max: MAX_PEOPLE }),
    )
  return [...people.values()]
}

/**
 * Parses one person, or several persons separated by commas or tabs.
 * @returns undefined if a part is neither an address nor the name before an address
 */
function readPiece(piece: string): PastedAddress[] | undefined {
  const people: PastedAddress[] = []
  let name = ''
  for (const part of piece.split(/[,\t]/).map((one) => one.trim())) {
    if (!part) continue
    const person = personOf(part)
    // After a name, the part is either the address of this name (`Ann Example, ann@example.org`) or the rest of a name
    // with a comma (`Example, Ann <ann@example.org>`).
    const joined = name ? `${name}, ${part}` : part
    if (joined.length > MAX_SENDER_CHARACTERS) return undefined
    const named = name && person && !person.name ? { name, email: person.email } : personOf(joined)
    if (named?.name.includes('@')) return undefined
    if (named) people.push(named)
    name = named ? '' : joined
  }
  return name ? undefined : people
}

function personOf(text: string): PastedAddress | undefined {
  const mailbox = parseSender(text)
  return mailbox && { name: mailbox.name, email: mailbox.address }
}

/**
 * Finds the contacts of people and creates the missing ones. If a person has no name, any contact with the email
 * address matches. A contact that is created for a person without a name gets the email address as its name. Call it
 * inside a transaction.
 * @returns the distinct IDs, and the number of created contacts
 * @throws {Problem} as `createContact` does
 */
export async function findOrCreateContacts(
  context: Context,
  people: readonly PastedAddress[],
): Promise<{ ids: number[]; created: number }> {
  const contactsByAddress = await withAddress(
    context,
    people.map(({ email }) => email.toLowerCase()),
  )
  const ids = new Set<number>()
  let created = 0
  for (const { name, email } of people) {
    const matches = contactsByAddress.get(email.toLowerCase()) ?? []
    const found = name ? matches.find((contact) => contact.name === name) : matches[0]
    if (found) ids.add(found.id)
    else {
      const contact = await createContact(context, { name: name || email, email })
      ids.add(contact.id)
      created += 1
    }
  }
  return { ids: [...ids], created }
}

/** Reads contacts by lower-case email address, oldest first. */
async function withAddress({ em, actor }: Context, addresses: readonly string[]) {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select(['id', 'name', 'email'])
    .where('owner_id', '=', actor.id)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', eb.fn.any(eb.val([...addresses]))))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ email }) => email.toLowerCase())
}
