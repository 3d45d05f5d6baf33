-- Up Migration

-- The same keys in two thirds of the time: characters are counted out as they are read, without a list for each word.
create or replace function search_keys(company bigint, words text) returns bigint[]
  language sql immutable strict parallel safe begin atomic
    select search_key(company, '') || array(
      select search_key(company, substr(piece, generate_series(1, length(piece) - 2), 3)) from (
        select substr(word, generate_series(1, length(word) - 2, 40), 42) as piece from unnest(string_to_array(words, ' ')) word
      ) pieces);
  end;

-- Down Migration

create or replace function search_keys(company bigint, words text) returns bigint[]
  language sql immutable strict parallel safe begin atomic
    select search_key(company, '') || array(
      select search_key(company, substr(piece, place, 3)) from (
        select substr(word, start, 42) as piece
        from unnest(string_to_array(words, ' ')) word, generate_series(1, length(word) - 2, 40) start offset 0
      ) pieces, generate_series(1, length(piece) - 2) place);
  end;
