package boilersweep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.lucene.codecs.DocValuesProducer;
import org.apache.lucene.codecs.FieldsProducer;
import org.apache.lucene.codecs.KnnVectorsReader;
import org.apache.lucene.codecs.NormsProducer;
import org.apache.lucene.codecs.PointsReader;
import org.apache.lucene.codecs.StoredFieldsReader;
import org.apache.lucene.codecs.TermVectorsReader;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.EmptyDocValuesProducer;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafMetaData;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.index.Terms;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.Version;

/**
 * Some contents of a batch as a segment that Lucene writes as it writes a merged one.
 *
 * <p>Its fields are those of an Anserini document without stored text: `id` and `contents`.
 */
final class CountedSegment extends CodecReader {
  private static final String ID = "id";
  private static final String CONTENTS = "contents";
  private static final FieldInfos FIELDS = fields();

  private final CountedBatch batch;
  private final int[] contents;

  CountedSegment(CountedBatch batch, int[] contents) {
    this.batch = batch;
    this.contents = contents;
  }

  /** The fields as Lucene describes them: the constructor of FieldInfo differs by its version. */
  private static FieldInfos fields() {
    FieldType counted = new FieldType();
    counted.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    Document document = new Document();
    document.add(new StringField(ID, "", Field.Store.YES));
    document.add(new BinaryDocValuesField(ID, new BytesRef()));
    document.add(new Field(CONTENTS, "", counted));
    try (Directory directory = new ByteBuffersDirectory();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      writer.addDocument(document);
      try (DirectoryReader reader = DirectoryReader.open(writer)) {
        return reader.leaves().get(0).reader().getFieldInfos();
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private BytesRef docid(int document) {
    int number = batch.document(contents[document]);
    int start = batch.docids.start(number);
    return new BytesRef(batch.docids.bytes, start, batch.docids.end(number) - start);
  }

  /** The postings of the docids: each has one document. */
  private Postings docids() {
    int[] places = new int[batch.docids.size()];
    Arrays.fill(places, -1);
    for (int document = 0; document < contents.length; document++) {
      places[batch.document(contents[document])] = document;
    }
    int[] order = new int[contents.length];
    int[] documents = new int[contents.length];
    int[] starts = new int[contents.length + 1];
    int found = 0;
    for (int number : batch.sortedDocuments) {
      if (places[number] >= 0) {
        order[found] = number;
        documents[found] = places[number];
        starts[found + 1] = ++found;
      }
    }
    return new Postings(batch.docids, order, starts, documents, null);
  }

  @Override
  public FieldsProducer getPostingsReader() {
    return new FieldsProducer() {
      @Override
      public Iterator<String> iterator() {
        return List.of(CONTENTS, ID).iterator();
      }

      @Override
      public Terms terms(String field) {
        return field.equals(ID) ? docids() : batch.invert(contents);
      }

      @Override
      public int size() {
        return FIELDS.size();
      }

      @Override
      public void checkIntegrity() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public StoredFieldsReader getFieldsReader() {
    return new StoredDocids();
  }

  private final class StoredDocids extends StoredFieldsReader {
    @Override
    public void document(int document, StoredFieldVisitor visitor) throws IOException {
      if (visitor.needsField(FIELDS.fieldInfo(ID)) == StoredFieldVisitor.Status.YES) {
        visitor.stringField(FIELDS.fieldInfo(ID), docid(document).utf8ToString());
      }
    }

    @Override
    public StoredFieldsReader clone() {
      return this;
    }

    @Override
    public void checkIntegrity() {}

    @Override
    public void close() {}
  }

  @Override
  public NormsProducer getNormsReader() {
    return new NormsProducer() {
      @Override
      public NumericDocValues getNorms(FieldInfo field) {
        return new Norms();
      }

      @Override
      public void checkIntegrity() {}

      @Override
      public void close() {}
    };
  }

  private final class Norms extends NumericDocValues {
    private int document = -1;

    @Override
    public long longValue() {
      return batch.norm(contents[document]);
    }

    @Override
    public int docID() {
      return document;
    }

    @Override
    public int nextDoc() {
      return advance(document + 1);
    }

    @Override
    public int advance(int target) {
      document = target < contents.length ? target : NO_MORE_DOCS;
      return document;
    }

    @Override
    public boolean advanceExact(int target) {
      document = target;
      return true;
    }

    @Override
    public long cost() {
      return contents.length;
    }
  }

  @Override
  public DocValuesProducer getDocValuesReader() {
    return new EmptyDocValuesProducer() {
      @Override
      public BinaryDocValues getBinary(FieldInfo field) {
        return new Docids();
      }

      @Override
      public void checkIntegrity() {}
    };
  }

  private final class Docids extends BinaryDocValues {
    private int document = -1;

    @Override
    public BytesRef binaryValue() {
      return docid(document);
    }

    @Override
    public int docID() {
      return document;
    }

    @Override
    public int nextDoc() {
      return advance(document + 1);
    }

    @Override
    public int advance(int target) {
      document = target < contents.length ? target : NO_MORE_DOCS;
      return document;
    }

    @Override
    public boolean advanceExact(int target) {
      document = target;
      return true;
    }

    @Override
    public long cost() {
      return contents.length;
    }
  }

  @Override
  public FieldInfos getFieldInfos() {
    return FIELDS;
  }

  @Override
  public LeafMetaData getMetaData() {
    return new LeafMetaData(Version.LATEST.major, Version.LATEST, null, false);
  }

  @Override
  public int maxDoc() {
    return contents.length;
  }

  @Override
  public int numDocs() {
    return contents.length;
  }

  @Override
  public Bits getLiveDocs() {
    return null;
  }

  @Override
  public TermVectorsReader getTermVectorsReader() {
    return null;
  }

  @Override
  public PointsReader getPointsReader() {
    return null;
  }

  @Override
  public KnnVectorsReader getVectorReader() {
    return null;
  }

  @Override
  public CacheHelper getCoreCacheHelper() {
    return null;
  }

  @Override
  public CacheHelper getReaderCacheHelper() {
    return null;
  }
}
