-- Up Migration

-- Fields of records have rights of their own. Every account that there is goes on seeing all of them, service accounts and
-- disabled ones too: what is withheld, an administrator withholds.
update accounts set permissions = permissions || array(
  select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (permissions)
);

-- Down Migration

update accounts set permissions = array_remove(array_remove(array_remove(permissions, 'PAY_VIEW'), 'MONEY_VIEW'), 'TAX_VIEW');
