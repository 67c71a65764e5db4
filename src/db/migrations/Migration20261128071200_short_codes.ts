import { Migration } from '@mikro-orm/migrations'

/** Gives each survey a random code of 60 bits. The computed codes that were given out before stay valid for a year. */
export class Migration20261128071200_short_codes extends Migration {
  override name = 'Migration20261128071200_short_codes'

  override up(): void {
    // Bytes 6 to 8 of a UUID contain its version and variant. A distributed database accepts no random function in an
    // update.
    this.addSql(`do $body$
      declare
        of_survey bigint;
        random bytea;
        code text;
      begin
        for of_survey in select id from survey where short_code is null order by id loop
          random := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
          select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(random, at) & 31), 1), '') into code
          from unnest(array[0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14]) as at;
          update survey set short_code = code, has_computed_code = true where id = of_survey;
        end loop;
      end $body$;`)
  }

  override down(): void {
    this.addSql('update survey set short_code = null, has_computed_code = false;')
  }
}
