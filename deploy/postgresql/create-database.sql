-- Run once, when the volume is empty: an owner of its own for the database, who is no superuser.
\set password `cat /run/secrets/store-password`
create role portcullis login password :'password' connection limit 80;
create database portcullis owner portcullis encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0;
revoke connect on database portcullis from public;
