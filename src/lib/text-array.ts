import { ArrayType, type Platform, type TransformContext } from '@mikro-orm/core'

/**
 * A column of texts, `text[]`. MikroORM quotes an element only where it holds quotes, braces, commas or backslashes;
 * without quotes PostgreSQL takes `null` for no value, drops spaces around an element, and would read the escapes of
 * JSON as letters ("Array Input and Output Syntax" in its manual). Here every element is quoted.
 */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(
    value: string[] | null,
    platform: Platform,
    context?: TransformContext,
  ): string | null {
    if (!Array.isArray(value)) return super.convertToDatabaseValue(value, platform, context)
    return `{${value.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
  }
}
