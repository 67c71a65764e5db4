/** An invalid setting. The message names the setting and states how to fix it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Parses a whole number. @throws {ConfigError} */
export const integer = (name: string, text: string | undefined, fallback: number, max: number): number => {
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new ConfigError(`${name} must be a whole number from 0 to ${max}, not "${text}".`)
  return value
}

/** Parses a switch. @throws {ConfigError} */
export const flag = (name: string, text: string | undefined, fallback: boolean): boolean => {
  if (text === undefined || text === '') return fallback
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new ConfigError(`${name} must be on or off, not "${text}".`)
}

/** Parses a URL, and removes slashes at its end. @throws {ConfigError} */
export const address = (name: string, text: string, protocols: string[]): string => {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
    throw new ConfigError(
      `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}, not "${text}".`,
    )
  return text.replace(/\/+$/, '')
}
